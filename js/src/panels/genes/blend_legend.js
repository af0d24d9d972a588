/** The legend of two or three blended genes: a square of fields or a list of mixes, which count and select cells. */
// Changes with cxg_widget/color/blend.py: hues of several genes.
import { html, nothing } from "lit-html";
import { MODES_HINT, modeOf } from "../../plot/lasso.js";
import { safeColor } from "../../style/color.js";
import { colorsOn } from "../../style/point_style.js";
import { shortCount, shortNumber } from "../../words/format.js";
import { nounsOf } from "../../words/nouns.js";
import { createFields, describeField, fieldAfterKey, fieldAt, listed, mixAt, partsOf } from "./blend_fields.js";

/** @typedef {import("../../page/parts/ui.js").Context} Context */
/**
 * @typedef {object} Drawn shared by the parts of one redraw
 * @property {Context} context
 * @property {import("./blend_fields.js").FieldCounts} fields
 * @property {(shares: number[]) => string} ink color of a mix; one share per gene, 0 to 1
 * @property {{active: number, pointed: number}} at active: the field in the tab order; pointed: the described field,
 *   -1 = none
 * @property {(change: Partial<Drawn["at"]>) => void} go
 */

/** @param {{client: import("../../wire/client.js").Client, redraw: () => void}} given
 * @returns {(context: Context | null) => unknown} call it with null when the view is gone; it returns null if there
 *   is no such legend */
export function createBlendLegend({ client, redraw }) {
  const ask = createFields(client, redraw);
  let at = { active: 0, pointed: -1 };
  return (context) => {
    const fields = ask(context?.state ?? null);
    const color = context?.state.color;
    if (context === null || fields === null || !color || context.state.link === "offline") return null;
    const colors = colorsOn(color, context.ui.dark);
    const last = fields.arrays.filtered.length - 1;
    at = { active: Math.min(at.active, last), pointed: Math.min(at.pointed, last) };
    const drawn = {
      context,
      fields,
      at,
      ink: (/** @type {number[]} */ shares) => safeColor(colors[mixAt(fields, shares)]),
      go(/** @type {Partial<Drawn["at"]>} */ change) {
        at = { ...at, ...change };
        redraw();
      },
    };
    const nouns = nounsOf(context.state);
    const field = fields.names.length === 2 ? "field" : "mix";
    const hint = `Hover a ${field} to count its ${nouns.obs.many}; click or press Enter to select them.`;
    return html`${fields.names.length === 2 ? square(drawn) : list(drawn)}
      <p class="detail field-words">${at.pointed < 0 ? hint : describeField(fields, at.pointed, nouns.obs)}</p>`;
  };
}

/** The square of two genes: the first to the right, the second upwards. @param {Drawn} drawn */
function square(drawn) {
  const { fields, ink } = drawn;
  const { names, words, levels, limits } = fields;
  const [low, high, lowest, highest] = limits.map(shortNumber);
  const all = words.map((_, i) => i);
  // Colors are linear along each gene, so one gradient draws each step of the first gene.
  const stripes = Array.from({ length: levels }, (_, i) => {
    const share = i / (levels - 1);
    return `linear-gradient(to top, ${ink([share, 0])}, ${ink([share, 1])}) ${100 * share}% 0 / ${100 / levels + 0.5}% 100% no-repeat`;
  });
  return html`<div class="map">
    <div class="up" aria-hidden="true"><span>${highest}</span><b title=${names[1]}>${names[1]}</b><span>${lowest}</span></div>
    <div class="square" role="grid" aria-label="${names[0]} horizontal, ${names[1]} vertical" style="background:${stripes.join()}">
      ${[...all].reverse().map((y) => html`<div role="row">${all.map((x) => cell(drawn, fieldAt(fields, [x, y]), "gridcell", ""))}</div>`)}
    </div>
    <div class="across" aria-hidden="true"><span>${low}</span><b title=${names[0]}>${names[0]}</b><span>${high}</span></div>
  </div>`;
}

/** The list of three genes: the ramp of each alone, then their mixes. @param {Drawn} drawn */
function list(drawn) {
  const { fields, ink } = drawn;
  const { names, limits, words } = fields;
  const ramps = names.map((name, gene) => {
    const [from, to] = [0, 1].map((share) => ink(names.map((_, one) => (one === gene ? share : 0))));
    return html`<div class="hue"><b title=${name}>${name}</b><span>${shortNumber(limits[2 * gene])}</span>
      <i style="background:linear-gradient(to right, ${from}, ${to})"></i><span>${shortNumber(limits[2 * gene + 1])}</span></div>`;
  });
  const rows = listed(fields).map((i) => {
    const at = partsOf(fields, i);
    const high = names.filter((_, gene) => at[gene] > 0).join(" + ") || "none";
    const ofAll = ink(at.map((part) => part / (words.length - 1)));
    return cell(
      drawn,
      i,
      "option",
      html`<i class="swatch" style="background:${ofAll}"></i><span class="label">${high}</span> <span class="end"><span class="count">${shortCount(fields.arrays.filtered[i])}</span></span>`,
    );
  });
  return html`<div class="hues" aria-hidden="true">${ramps}</div>
    <div class="mixes" role="listbox" aria-label="Mixes of ${names.join(", ")}">${rows}</div>`;
}

/** @param {Drawn} drawn @param {number} i @param {"gridcell" | "option"} role @param {unknown} body */
function cell({ context, fields, at, go }, i, role, body) {
  const { filtered, selected } = fields.arrays;
  const { obs } = nounsOf(context.state);
  const select = (/** @type {MouseEvent | KeyboardEvent} */ event) => {
    event.preventDefault();
    event.stopPropagation();
    context.actions.selectField(i, modeOf({ shift: event.shiftKey, alt: event.altKey }));
  };
  const press = (/** @type {KeyboardEvent} */ event) => {
    if (event.ctrlKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " " || event.code === "KeyS") return select(event);
    const to = fieldAfterKey(fields, event.key, i);
    if (to === null) return;
    event.preventDefault();
    event.stopPropagation();
    const around = /** @type {Element} */ (event.currentTarget).closest("[role=grid], [role=listbox]");
    /** @type {HTMLElement | null | undefined} */ (around?.querySelector(`[data-field="${to}"]`))?.focus();
  };
  return html`<div class="mix ${role === "option" ? "row" : ""} ${i === at.pointed ? "pointed" : ""}" role=${role} data-field=${i} tabindex=${i === at.active ? 0 : -1}
    aria-label=${role === "option" ? nothing : describeField(fields, i, obs)} aria-selected=${selected[i] > 0 && selected[i] >= filtered[i]} title=${`${describeField(fields, i, obs)}\n${MODES_HINT}`}
    @click=${select} @keydown=${press} @focus=${() => go({ active: i, pointed: i })} @blur=${() => go({ pointed: -1 })}
    @pointerenter=${() => go({ pointed: i })} @pointerleave=${() => go({ pointed: -1 })}>${body}</div>`;
}
