/** The link of the page's frame to the other language leads to the same room. */
export function keepRoomInLanguageLink(): void {
  const link = document.querySelector<HTMLAnchorElement>('a.language');
  if (link === null) return;
  const follow = () => (link.hash = location.hash);
  follow();
  addEventListener('hashchange', follow);
}
