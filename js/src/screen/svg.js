/** Elements of SVG. */

const SVG = "http://www.w3.org/2000/svg";

/** @template {keyof SVGElementTagNameMap} Name @param {Name} name @param {Record<string, string>} attributes @returns {SVGElementTagNameMap[Name]} */
export function make(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}
