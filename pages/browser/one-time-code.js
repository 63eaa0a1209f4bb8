/** The code in the address of this page that has not been answered yet. @type {string | null} */
let untried = codeInAddress();
/** What became of it, until it was told. */
let codeEnd = '';

/** Takes it out of the address and of the history, so that nobody reads it there. */
function codeInAddress() {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code !== null) history.replaceState(null, '', location.pathname + location.search);
  return code;
}

/**
 * Exchanges the code of the address for the cookie of a session, if there is one.
 * @returns {Promise<'lost' | 'done'>} `lost`: there was no answer, so the next call sends it again
 */
export async function enterByCode() {
  if (untried === null) return 'done';
  const answer = await fetch('/simulator/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: untried }),
  }).catch(() => null);
  if (answer === null) return 'lost';
  untried = null;
  if (!answer.ok) codeEnd = answer.status === 429 ? 'later' : 'refused';
  return 'done';
}

/** Shows once, where the token is asked for, why the code let nobody in. @param {HTMLElement} form */
export function tellOfCode(form) {
  for (const note of form.querySelectorAll('[data-code]')) {
    note.toggleAttribute('hidden', note.getAttribute('data-code') !== codeEnd);
  }
  codeEnd = '';
}

// Another code in the address of a page that is open does not load it again.
addEventListener('hashchange', () => location.reload());
