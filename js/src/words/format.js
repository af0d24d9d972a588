/** Formats numbers and labels as text. Pure; knows no DOM. */
// Changes with cxg_widget/text/numbers.py: numbers as text.

/** Maximum number of characters in one part of a file name. */
const LONGEST_PART = 60;
const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** Every digit: 12345 -> "12,345". @param {number} n @returns {string} */
export function wholeNumber(n) {
  return WHOLE.format(n);
}

/** All digits below a million, two or three above: "12,345", "1.2 M", "34 M". @param {number} n @returns {string} */
export function shortCount(n) {
  const [divisor, unit] = n >= 999_500_000 ? [1e9, "B"] : [1e6, "M"];
  if (n < 1_000_000) return wholeNumber(n);
  const scaled = n / divisor;
  return `${scaled.toFixed(scaled < 9.95 ? 1 : 0)}\u00a0${unit}`;
}

/** A percentage that shows 0 or 100 only if it is exact: "1.2 %", "< 0.1 %". @param {number} n @param {number} total
 * @returns {string} */
export function share(n, total) {
  if (total === 0 || n === 0) return "0\u00a0%";
  if (n === total) return "100\u00a0%";
  const percent = (100 * n) / total;
  if (percent < 0.1) return "<\u00a00.1\u00a0%";
  if (percent > 99.9) return ">\u00a099.9\u00a0%";
  return `${percent.toFixed(percent < 10 ? 1 : 0).replace(/\.0$/, "")}\u00a0%`;
}

/** A value with about four significant digits: 0.01234, 12.35, 12,350, 1.2e-9. @param {number} value @returns {string} */
export function shortNumber(value) {
  if (!Number.isFinite(value)) return "";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4)
    return value
      .toExponential(2)
      .replace(/\.?0+e/, "e")
      .replace("e+", "e");
  const digits = Math.max(0, 3 - Math.floor(Math.log10(size)));
  return value.toLocaleString("en-US", { maximumFractionDigits: Math.min(digits, 7) }).replace(/^-0$/, "0");
}

/** "1 spectrum", "2 spectra". @param {number} n @param {import("../state/state.js").Noun} noun @returns {string} */
export function counted(n, { one, many }) {
  return `${wholeNumber(n)} ${n === 1 ? one : many}`;
}

/** A number of bytes in decimal units: "512 B", "25 KB", "1.2 MB". @param {number} n @returns {string} */
export function byteSize(n) {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let i = 0;
  while (i < units.length - 1 && n >= 999.5 * 1000 ** i) i++;
  const scaled = n / 1000 ** i;
  return `${scaled.toFixed(i > 0 && scaled < 9.95 ? 1 : 0)}\u00a0${units[i]}`;
}

/** A file name that is valid on every system. @param {(string | null | undefined)[]} parts
 * @returns {string} without an extension */
export function fileName(parts) {
  const words = parts.map((part) =>
    String(part ?? "")
      .normalize()
      .replace(/[^\p{L}\p{N}.-]+/gu, "_")
      .replace(/^[._-]+|[._-]+$/g, "")
      .slice(0, LONGEST_PART),
  );
  return (
    words
      .filter(Boolean)
      .join("-")
      .replace(/_*-[_-]*/g, "-")
      .replace(/[._-]+$/, "") || "picture"
  );
}

/** A label for running text: on one line, truncated if it is long. @param {string} label @returns {string} */
export function inALine(label) {
  const signs = [...label.trim().replace(/\s+/g, " ")];
  return signs.length > 60 ? `${signs.slice(0, 59).join("")}…` : signs.join("");
}
