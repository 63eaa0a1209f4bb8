/** Calls `work` every so many milliseconds while the page is shown. @returns what ends it */
export function whileShown(milliseconds: number, work: () => void): () => void {
  const timer = setInterval(() => {
    if (!document.hidden) work();
  }, milliseconds);
  return () => clearInterval(timer);
}

/** Milliseconds since the page was opened, by a clock that nobody moves. */
export function sinceOpened(): number {
  return performance.now();
}
