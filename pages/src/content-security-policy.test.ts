import { describe, expect, it } from 'vitest';
import { contentSecurityPolicy } from './content-security-policy.ts';

describe('the content security policy', () => {
  it('allows nothing but styles, fonts and images of its own origin', () => {
    expect(contentSecurityPolicy({ formAction: 'self' })).toBe(
      "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self' data:; " +
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
  });

  it('lets the one script of the page run, by its hash, and call its own origin if it has to', () => {
    const hash = 'sha256-Zm9v';

    expect(
      contentSecurityPolicy({ formAction: 'none', script: { hash, connects: false } }),
    ).toMatch(/^default-src 'none'; script-src 'sha256-Zm9v'; style-src/);
    expect(
      contentSecurityPolicy({ formAction: 'none', script: { hash, connects: true } }),
    ).toContain("script-src 'sha256-Zm9v'; connect-src 'self'; style-src");
  });

  it.each([
    ['none', "'none'"],
    ['self', "'self'"],
    ['any', '*'],
    ['com.example.app:', 'com.example.app:'],
  ] as const)('lets forms go to %s', (formAction, sources) => {
    expect(contentSecurityPolicy({ formAction })).toContain(`form-action ${sources};`);
  });
});
