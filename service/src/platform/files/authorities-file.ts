import { X509Certificate } from 'node:crypto';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { readRegularFile } from '@miftah/schema/regular-file';

/** More than the certificates of all public authorities take. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Beside whole certificates: one that is cut off, as in a file that is being written. */
const PART = /-----(?:BEGIN CERT|END CERT|[A-Z ]*$)/;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** The file of NODE_EXTRA_CA_CERTS can't be used. */
export class AuthoritiesFileError extends Error {
  constructor(path: string, reason: string) {
    super(`NODE_EXTRA_CA_CERTS ${path} can't be used: ${reason}`);
    this.name = 'AuthoritiesFileError';
  }
}

/** The authorities that this process trusts besides those of Node. Node itself reads them at its start alone. */
export class ExtraAuthorities {
  readonly #path: string;
  readonly #others: readonly string[];
  #trusted: readonly X509Certificate[];

  constructor(path: string) {
    this.#path = path;
    this.#trusted = certificatesIn(getCACertificates('extra'));
    const extra = new Set(getCACertificates('extra'));
    const others = getCACertificates('default').filter((other) => !extra.has(other));
    this.#others = [...getCACertificates('bundled'), ...others];
  }

  /**
   * The certificates as the file has them now, and whether they are other ones.
   * @throws AuthoritiesFileError
   */
  reread(): { readonly isOther: boolean; readonly use: () => void } {
    const read = readAuthorities(this.#path);
    const isOther = namesOf(read) !== namesOf(this.#trusted);
    return { isOther, use: () => this.#trust(read) };
  }

  /** For the connections that are made from now on, unless they have authorities of their own. */
  #trust(certificates: readonly X509Certificate[]): void {
    setDefaultCACertificates([...this.#others, ...certificates.map(String)]);
    this.#trusted = certificates;
  }
}

/** @throws AuthoritiesFileError */
export function readAuthorities(path: string): readonly X509Certificate[] {
  try {
    const text = readRegularFile(path, MOST_BYTES);
    if (PART.test(text.replaceAll(CERTIFICATE, '').trimEnd())) {
      throw new Error('a certificate in it is not whole: is it being written?');
    }
    const found = text.match(CERTIFICATE) ?? [];
    if (found.length > 0) return certificatesIn(found);
  } catch (error) {
    throw new AuthoritiesFileError(path, error instanceof Error ? error.message : String(error));
  }
  throw new AuthoritiesFileError(path, 'it has no certificate in PEM');
}

const certificatesIn = (texts: readonly string[]) => texts.map((text) => new X509Certificate(text));

const namesOf = (certificates: readonly X509Certificate[]) =>
  certificates.map(({ fingerprint256 }) => fingerprint256).join();
