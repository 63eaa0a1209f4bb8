import { readFileSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';

/** Far more than any secret needs. */
const MOST_BYTES = 65_536;

type SecretRead = { readonly text: string } | { readonly fault: string };

/** The secret in a file, without the white space around it. A fault has nothing of the content. */
export function readSecretFile(path: string): SecretRead {
  const fault = (reason: string) => ({ fault: `${isAbsolute(path) ? `${path} ` : ''}${reason}` });
  try {
    const status = statSync(path);
    // A pipe would wait for somebody to write, and a device such as /dev/zero never ends.
    if (!status.isFile()) return fault('is no regular file: name one that holds only the secret');
    if (status.size > MOST_BYTES) {
      return fault(`has more than ${MOST_BYTES} bytes: name a file that holds only the secret`);
    }
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)).trim();
    if (text === '') return fault('is empty: write the secret into it');
    return text.includes('\0') ? fault(NO_TEXT) : { text };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    return fault(code === NOT_UTF8 ? NO_TEXT : `names a file that can't be read: ${code}`);
  }
}

const NOT_UTF8 = 'ERR_ENCODING_INVALID_ENCODED_DATA';
const NO_TEXT = 'does not hold text: write the secret into it as text (UTF-8)';
