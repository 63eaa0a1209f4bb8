export const FORM_TYPE = 'application/x-www-form-urlencoded';
export const MOST_FORM_BYTES = 2_000;

/** It is no form of a sign-in. */
export class FormTooLong extends Error {
  override readonly name = 'FormTooLong';
}

/**
 * Reads to the end also what is too long, because a connection with an unread rest can't be used again.
 * @throws FormTooLong
 */
export async function readForm(chunks: AsyncIterable<Uint8Array> | null): Promise<URLSearchParams> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of chunks ?? []) {
    bytes += chunk.length;
    if (bytes <= MOST_FORM_BYTES) text += decoder.decode(chunk, { stream: true });
  }
  if (bytes > MOST_FORM_BYTES) throw new FormTooLong();
  return new URLSearchParams(text);
}

/**
 * A form that the framework has read already: as text, or its members. A reader that makes more of a
 * member than a text has understood its name so, which is no name of ours.
 */
export function formOf(body: unknown): URLSearchParams {
  if (typeof body === 'string') return new URLSearchParams(body);
  if (body instanceof Uint8Array) return new URLSearchParams(new TextDecoder().decode(body));
  const members = Object.entries(typeof body === 'object' && body !== null ? body : {});
  return new URLSearchParams(
    members.flatMap(([name, value]: [string, unknown]) =>
      (Array.isArray(value) ? value : [value]).map((one: unknown) =>
        typeof one === 'string' ? [name, one] : [`${name}[]`, ''],
      ),
    ),
  );
}
