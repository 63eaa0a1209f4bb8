// Copies the commands of a page. Becomes a part of a page's script where that is read.

/** The buttons are hidden in the page, since none works where no script runs. */
export function offerCopies() {
  for (const block of document.querySelectorAll('.command')) {
    const button = block.querySelector('button');
    if (button === null) continue;
    button.hidden = false;
    button.addEventListener('click', () => copy(block));
  }
}

/** Where the browser does not copy, the lines are selected, as for copying by hand. */
function copy(/** @type {Element} */ block) {
  const code = /** @type {Element} */ (block.querySelector('code'));
  const said = /** @type {HTMLElement} */ (block.querySelector('[data-copied]'));
  getSelection()?.selectAllChildren(code);
  // oxlint-disable-next-line typescript/no-deprecated -- The only way on a page without TLS.
  said.hidden = !document.execCommand('copy');
}
