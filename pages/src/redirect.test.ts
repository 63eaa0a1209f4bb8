import { describe, expect, it } from 'vitest';
import { payloads } from '../test/support/payloads.ts';
import { redirectHeader, redirectPage } from './index.ts';

describe('the page that redirects', () => {
  it('has one link and no form, and its header leads to the same address, not a character changed', () => {
    const address = 'https://provider.example.test/authorize?a=1&state=Ab+/=;"\'&x=y;url=z#f';
    const { html, script } = redirectPage({ locale: 'en', address });
    expect(html.match(/<a /g)).toHaveLength(1);
    expect(html).not.toMatch(/<form|<script|<meta http-equiv/);
    expect(html).toContain(
      'href="https://provider.example.test/authorize?a=1&amp;state=Ab+/=;&quot;',
    );
    expect(script).toBeUndefined();
    expect(redirectHeader(address)).toBe(`0;url=${address}`);
  });

  it.each([...payloads, '/path', '#', '', '//other.invalid/', 'app:return'])(
    'leads to no address but a complete one of http or https: %s',
    (address) => {
      expect(() => redirectHeader(address)).toThrow(TypeError);
    },
  );
});
