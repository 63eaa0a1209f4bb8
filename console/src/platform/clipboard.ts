/**
 * Puts a text into the clipboard. Pages without TLS from another machine have none; there the text
 * goes by way of a selection.
 * @returns false where the browser does not allow it
 */
export async function copyText(text: string): Promise<boolean> {
  const { clipboard } = navigator as { readonly clipboard?: Clipboard };
  if (clipboard === undefined) return copySelection(text);
  return clipboard.writeText(text).then(
    () => true,
    () => copySelection(text),
  );
}

function copySelection(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  // oxlint-disable-next-line typescript/no-deprecated -- The only way on a page without TLS.
  const isCopied = document.execCommand('copy');
  field.remove();
  return isCopied;
}
