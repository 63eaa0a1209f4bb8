const { hash, pathname, search } = location;
const inAddress = new URLSearchParams(hash.slice(1)).get('code');
// Nobody reads it in the address or in the history. It is not the address of a room either.
if (inAddress !== null) history.replaceState(null, '', pathname + search);

// Another code in the address of a page that is open does not load the page again.
addEventListener('hashchange', () => {
  if (new URLSearchParams(location.hash.slice(1)).has('code')) location.reload();
});

/** The code that lets this browser in, as the page's address had it; null without one. */
export const addressCode: string | null = inAddress;
