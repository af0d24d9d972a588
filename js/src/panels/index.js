/** Entry of the second module: the panels of one view, those that are open. */
import { html } from "lit-html";
import { createColumns } from "./columns.js";
import { createDrawer } from "./drawer.js";
import css from "./style.css";

/** @type {import("../page/second_module.js").CreatePanels} */
export function createPanels(client, redraw) {
  const style = document.createElement("style");
  style.textContent = css;
  const drawer = createDrawer();
  const columns = createColumns({ client, redraw });
  return (context) => {
    if (context === null) return columns(null);
    const { dataset, traits } = context.state;
    if (dataset === null || traits.open_panels.length === 0) return columns(null);
    return html`${style}${drawer(context, "columns", "Columns", columns(context, dataset))}`;
  };
}
