// Waits on the page with the number of a push. The service answers when the person has decided, or
// after a while; then the page is loaded anew, and the service says where to go. Without scripts the
// link of the page does the same.

/** After an answer that says nothing, such as one of a service that is starting. */
const PAUSE_MS = 3000;

const { push = '' } = /** @type {HTMLElement} */ (document.querySelector('[data-push]')).dataset;

async function isWaiting() {
  const answer = await fetch(push, { headers: { accept: 'application/json' } });
  if (answer.status === 404) return false;
  if (!answer.ok) throw new Error(String(answer.status));
  return /** @type {{isOpen: boolean}} */ (await answer.json()).isOpen;
}

async function wait() {
  const began = Date.now();
  try {
    if (!(await isWaiting())) return location.reload();
  } catch {
    // The connection is lost, or the service is busy: it is asked again.
  }
  // An answer at once, because there is no place to wait in: it is not asked without a pause.
  setTimeout(() => void wait(), Math.max(0, began + PAUSE_MS - Date.now()));
}

void wait();
