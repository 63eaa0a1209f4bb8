// What the simulated phone says of who asks, and from where. Becomes a part of phone.js where that is
// read.

/** Whether it is the machine on which the simulator runs. @param {string} address */
const isHere = (address) => /^(?:127\.|::1$)/.test(address);

/**
 * Writes which application asks, and from where. What is not known is left out.
 * @param {HTMLElement} card
 * @param {{application: {ar: string, en: string} | null, place: string | null}} prompt
 * @param {{language?: string, here?: string}} page its language, and what it calls this machine
 */
export function writeOrigin(card, { application, place }, { language, here = '' }) {
  const facts = {
    application: application?.[language === 'ar' ? 'ar' : 'en'] ?? null,
    place: place !== null && isHere(place) ? here : place,
  };
  for (const [name, text] of Object.entries(facts)) {
    const field = card.querySelector(`[data-field=${name}]`);
    if (field === null || field.textContent === (text ?? '')) continue;
    // As text: an application may call itself anything.
    field.textContent = text;
    field.closest('div')?.toggleAttribute('hidden', text === null);
  }
}

/**
 * Brings what has arrived into view: its numbers, below as much of the rest as there is room for. The
 * focus goes with it, unless it is anywhere else on the page already. Who answers another prompt, or
 * types its number, keeps that in view: what has arrived moves it down.
 * @param {HTMLElement} card @param {ParentNode} list
 */
export function bringIntoView(card, list) {
  const at = document.activeElement;
  if (at !== null && list.contains(at)) return at.scrollIntoView({ block: 'nearest' });
  card.scrollIntoView({ block: 'start' });
  card.querySelector('[data-numbers]')?.scrollIntoView({ block: 'nearest' });
  if (at === document.body) card.querySelector('h2')?.focus({ preventScroll: true });
}

/** In the reader's time zone. @param {string} timestamp */
export const timeOf = (timestamp) => new Date(timestamp).toLocaleTimeString('en-GB');

/** What a refused call says. @param {Response} answer */
export async function messageIn(answer) {
  const said = /** @type {{message?: string}} */ (await answer.json().catch(() => ({})));
  return said.message ?? String(answer.status);
}
