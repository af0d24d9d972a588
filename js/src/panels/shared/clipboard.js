/** Copies text to the clipboard. */

/** Copy text to the clipboard; insecure contexts have only execCommand.
 * @param {string} text @returns {Promise<boolean>} */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByField(text);
  }
}

/** @param {string} text @returns {boolean} */
function copyByField(text) {
  const field = document.createElement("textarea");
  const before = document.activeElement;
  field.value = text;
  field.style.cssText = "position:fixed;opacity:0";
  document.body.append(field);
  field.select();
  try {
    return document.execCommand("copy");
  } finally {
    field.remove();
    if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  }
}
