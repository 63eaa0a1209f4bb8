import { expect, it } from 'vitest';
import { payloads } from '../test/support/payloads.ts';
import { documentPage } from './document.ts';
import { h } from 'preact';
import { inShape } from './shape.ts';

const titled = (title: string, values: Readonly<Record<'name' | 'link', string>>) =>
  documentPage(
    { locale: 'en', title, width: 'narrow' },
    h('p', { title: values.name }, values.name, h('a', { href: values.link }, 'on')),
  );

it.each(payloads)('has a value as the renderer writes it, the first time and later: %s', (name) => {
  const values = { name, link: `/on?a=1&b=${name}` };
  const shown = () =>
    inShape(['of a test'], values, (valueOf) =>
      titled('One', { name: valueOf('name'), link: valueOf('link') }),
    );
  expect(shown()).toEqual(titled('One', values));
  expect(shown()).toEqual(titled('One', values));
});

it('is another page for another key, and renders each once', () => {
  let rendered = 0;
  const show = (title: string) =>
    inShape([title], { name: 'n' }, (valueOf) => {
      rendered += 1;
      return titled(title, { name: valueOf('name'), link: '/' });
    });
  expect([show('Two'), show('Three'), show('Two')]).toEqual(
    ['Two', 'Three', 'Two'].map((title) => titled(title, { name: 'n', link: '/' })),
  );
  expect(rendered).toBe(2);
});
