// What the simulated phone leaves of a request that was answered on it. Becomes a part of phone.js where
// that is read.

/** @type {{id: string, card: HTMLElement} | null} */
let kept = null;

/**
 * Leaves an answered card where it is, without its buttons. Its result is seen where the person has just
 * looked, and no button of another request comes to where a second tap would reach it.
 * @param {string} id @param {HTMLElement} card
 */
export function keepAnswered(id, card) {
  const { top, height } = card.getBoundingClientRect();
  forgetAnswered();
  kept = { id, card };
  card.className = 'prompt-answered';
  delete card.dataset['testid'];
  for (const part of card.querySelectorAll('fieldset, .prompt-others')) part.remove();
  card.querySelector('[data-field=left]')?.closest('div')?.remove();
  const isLast = card.parentElement?.querySelector('.prompt') === null;
  if (!isLast) card.style.setProperty('min-block-size', `${height}px`);
  // The one that was kept before may have stood above it.
  window.scrollBy(0, card.getBoundingClientRect().top - top);
}

/** @param {string} id @param {string} text */
export function tellResult(id, text) {
  if (kept?.id !== id) return;
  const result = /** @type {HTMLElement} */ (kept.card.querySelector('[data-result]'));
  result.dataset['result'] = text;
  result.hidden = false;
}

export function forgetAnswered() {
  kept?.card.remove();
  kept = null;
}
