/** Puts a text into the clipboard. @returns false where the browser does not allow it */
export async function copyText(text: string): Promise<boolean> {
  // Pages without TLS from another machine have no clipboard.
  const { clipboard } = navigator as { readonly clipboard?: Clipboard };
  if (clipboard === undefined) return false;
  return clipboard.writeText(text).then(
    () => true,
    () => false,
  );
}
