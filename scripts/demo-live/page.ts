// The only page of the demo's application: without a script, and with every text escaped.

import { hash } from 'node:crypto';

export interface DemoPage {
  readonly title: string;
  readonly text: string;
  readonly facts?: readonly (readonly [label: string, value: string])[];
}

const STYLE = `
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
  body { max-width: 38rem; margin: 10vh auto; padding: 0 1.25rem }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.5rem }
  dt { opacity: .7 }
  dd { margin: 0; overflow-wrap: anywhere }
`;

export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function demoPage({ title, text, facts = [] }: DemoPage): string {
  const rows = facts.map(([label, value]) => `<dt>${escape(label)}</dt><dd>${escape(value)}</dd>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)} · Demo application</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<p>Demo application</p>
<h1>${escape(title)}</h1>
<p>${escape(text)}</p>
${rows.length === 0 ? '' : `<dl>${rows.join('')}</dl>`}
<p><a href="/">Sign in again</a></p>
</main>
</body>
</html>
`;
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
