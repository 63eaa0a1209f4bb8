import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { curlLine } from '../../api/curl-line.ts';
import { readJson } from '../../api/call.ts';
import { useAsked } from '../../api/use-call.ts';
import { page } from '../../page.ts';
import { Code } from '../../parts/code.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Failed } from '../../parts/failed.tsx';
import { fill } from '../../parts/fill.ts';
import { named } from '../../parts/named.ts';
import { hasText, SearchField } from '../../parts/search-field.tsx';
import { Title } from '../../parts/title.tsx';
import { keptToken } from '../../platform/kept.ts';
import { testIds } from '../../test-ids.ts';
import { words } from '../../words/index.ts';
import { Links } from './links.tsx';
import { operationsIn, type Document, type Operation } from './operations.ts';

const readDocument = () => readJson<Document>('/simulator/openapi.json');

/** What a program can call, with a command for each. */
export function Reference(): JSX.Element {
  const { reference } = words;
  const { data, failure } = useAsked(readDocument);
  const wanted = useSignal('');
  const all = data.value === null ? [] : operationsIn(data.value);
  const found = all.filter((one) => isCalled(one, wanted.value));
  return (
    <>
      <Title>{reference.title}</Title>
      <p class="lead">{reference.lead}</p>
      <Links />
      <h2>{reference.operations}</h2>
      <p>{fill(reference.text, { scope: <Code text={page.scope} /> })}</p>
      {keptToken.read() === null ? null : (
        <p>{fill(reference.token, { name: <Code text="SIMULATOR_TOKEN" /> })}</p>
      )}
      <Failed failure={failure.value} />
      <SearchField label={reference.search} wanted={wanted} />
      {all.length > 0 && found.length === 0 ? <p class="empty">{reference.none}</p> : null}
      <ul class="cards">
        {found.map((operation) => (
          <OperationCard key={operation.id} operation={operation} />
        ))}
      </ul>
    </>
  );
}

function OperationCard({ operation }: { readonly operation: Operation }): JSX.Element {
  const { reference } = words;
  const { id, method, path, summary, body } = operation;
  const about = named(reference.calls, summary);
  const command = curlLine(method, path, body);
  return (
    <li class="card" data-testid={testIds.operation(id)}>
      <h3>
        <Code text={`${method} ${path}`} />
      </h3>
      <p>
        <bdi lang={about === summary ? 'en' : page.locale}>{about}</bdi>
      </p>
      <pre dir="ltr">
        <code>{command}</code>
      </pre>
      <div class="actions">
        <CopyButton
          text={command}
          label={reference.copy}
          name={reference.copyName.replace('{name}', `${method} ${path}`)}
          testId={testIds.copyCommand(id)}
        />
      </div>
    </li>
  );
}

function isCalled({ id, method, path, summary }: Operation, wanted: string): boolean {
  return hasText(wanted, [id, method, path, summary, named(words.reference.calls, summary)]);
}
