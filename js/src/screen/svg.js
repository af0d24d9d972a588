/** Helpers for SVG elements. */

const SVG = "http://www.w3.org/2000/svg";

/** @template {keyof SVGElementTagNameMap} Name @param {Name} name @param {Record<string, string | number>} attributes
 * @returns {SVGElementTagNameMap[Name]} */
export function make(name, attributes) {
  const element = document.createElementNS(SVG, name);
  set(element, attributes);
  return element;
}

/** @param {Element} element @param {Record<string, string | number>} attributes */
export function set(element, attributes) {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
}

/** A layer that fills its parent and lets pointer events through to the elements beneath.
 * @param {Record<string, string>} attributes */
export function makeLayer(attributes) {
  const element = make("svg", { width: "100%", height: "100%", ...attributes });
  element.style.cssText = "position:absolute;inset:0;overflow:hidden;pointer-events:none";
  return element;
}
