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

/** A file of JSON: what it says, and its text. */
export type JsonFile = { readonly content: unknown; readonly text: string };

/** Null for a file that is none, or is too large. */
export async function readJsonFile(file: File): Promise<JsonFile | null> {
  if (file.size > LARGEST_BYTES) return null;
  try {
    const text = await file.text();
    return { content: JSON.parse(text) as unknown, text };
  } catch {
    return null;
  }
}
