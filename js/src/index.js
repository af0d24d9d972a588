/** Entry of the bundle: what a host of anywidget calls. One model a widget, as many views of it as are displayed. */
import { createWidgetModel } from "./model.js";
import { createView } from "./page/view.js";

/** A function, so that `initialize` and `render` of one widget share a scope: hosts hand each of them another model object. */
export default () => {
  /** @type {import("./model.js").WidgetModel | null} */
  let widget = null;
  return {
    /** @param {{model: import("./model.js").AnyModel}} context */
    initialize({ model }) {
      const made = createWidgetModel(model);
      widget = made;
      return made.destroy;
    },
    /** @param {{model: import("./model.js").AnyModel, el: HTMLElement}} context */
    render({ model, el }) {
      const shown = (widget ??= createWidgetModel(model));
      return createView({ el, model: shown });
    },
  };
};
