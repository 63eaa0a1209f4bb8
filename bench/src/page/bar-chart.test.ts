import { expect, it } from 'vitest';
import { barChart } from './bar-chart.ts';

const CHART = {
  title: 'Answers <of all>',
  bars: [
    { label: 'raw & bare', value: 200, isOther: true },
    { label: 'ours', value: 50, note: 'a quarter' },
  ],
};

it('draws bars as long as their values', () => {
  const widths = [...barChart(CHART).matchAll(/ width="([\d.]+)"/g)].map(([, width]) =>
    Number(width),
  );
  expect(widths[0]).toBe(380);
  expect(widths[1]).toBe(95);
});

it('says what each bar is, and how long, in words', () => {
  const texts = [...barChart(CHART).matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text);
  expect(texts).toEqual(['Answers &lt;of all&gt;', 'raw &amp; bare', '200', 'ours', 'a quarter']);
});

it('has colours of its own for a dark page', () => {
  expect(barChart(CHART)).toContain('prefers-color-scheme: dark');
});

it('draws nothing longer than the picture when all values are nothing', () => {
  expect(barChart({ title: '', bars: [{ label: '', value: 0 }] })).toContain('width="0.0"');
});
