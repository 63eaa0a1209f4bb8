import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/at-end.ts';
import { AuthoritiesFileError, ExtraAuthorities } from './authorities-file.ts';

const [FIRST = '', SECOND = ''] = getCACertificates('bundled');
const BOTH = `# The first\n${FIRST}\n# The second\n${SECOND}\n`;

function reread(text: string) {
  const path = join(temporaryFolder('authorities'), 'ca.pem');
  writeFileSync(path, text);
  return new ExtraAuthorities(path).reread();
}

describe('a file of authorities', () => {
  it('is taken where all its certificates are whole', () => {
    expect(reread(BOTH).isOther).toBe(true);
    expect(reread(FIRST).isOther).toBe(true);
  });

  // A service would trust the first one alone from then on.
  it.each([
    ['in the second one', BOTH.slice(0, -200)],
    ['in the line that begins it', BOTH.slice(0, BOTH.lastIndexOf('-----BEGIN') + 15)],
    ['in the line that ends it', BOTH.slice(0, BOTH.lastIndexOf('-----END') + 12)],
    ['before the first one', BOTH.slice(60)],
  ])('is refused where it is cut off %s', (_, text) => {
    expect(() => reread(text)).toThrow(AuthoritiesFileError);
    expect(() => reread(text)).toThrow('a certificate in it is not whole');
  });

  it('is refused without one', () => {
    expect(() => reread('nothing\n')).toThrow('it has no certificate in PEM');
  });
});
