/** More is no file that this console has written. */
const LARGEST_BYTES = 1024 * 1024;

/** Gives the browser a text to save under a name. */
export function saveFile(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

/** What the JSON of a file says; undefined if it is none, or is too large. */
export async function readJsonFile(file: File): Promise<unknown> {
  if (file.size > LARGEST_BYTES) return undefined;
  try {
    return JSON.parse(await file.text()) as unknown;
  } catch {
    return undefined;
  }
}
