import type { JSX } from 'preact';
import type { Row } from '../../api/types.ts';
import { useCall } from '../../api/use-call.ts';
import { Code } from '../../parts/code.tsx';
import { Failed } from '../../parts/failed.tsx';
import { words } from '../../words/index.ts';

/** The sign-ins of the scope, newest first. */
export function Attempts(): JSX.Element {
  const { data, failure } = useCall<readonly Row[]>('/simulator/attempts?limit=200');
  return (
    <>
      <h1>{words.list.title}</h1>
      <Failed failure={failure.value} />
      <ol>
        {data.value?.map(({ id, state }) => (
          <li key={id}>
            <Code text={id} /> <bdi>{state}</bdi>
          </li>
        ))}
      </ol>
    </>
  );
}
