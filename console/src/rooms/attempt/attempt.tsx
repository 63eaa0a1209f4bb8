import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { TimeLine } from '../../api/types.ts';
import { useCall } from '../../api/use-call.ts';
import { Failed } from '../../parts/failed.tsx';
import { linkTo } from '../../router.ts';
import { attempts } from '../../state/attempts.ts';
import { words } from '../../words/index.ts';
import { Entries } from './entries.tsx';
import { Findings } from './findings.tsx';
import { Head } from './head.tsx';

/** One attempt: what it is, what should be looked at, and everything that happened. */
export function Attempt({ rest }: { readonly rest: readonly string[] }): JSX.Element {
  const [id = '', number] = rest;
  const { data, failure, again } = useCall<TimeLine>(
    `/simulator/attempts/${encodeURIComponent(id)}`,
  );
  const news = attempts.rows.value?.find((row) => row.id === id);
  const seen = useRef(news);
  useEffect(() => {
    // The list hears of the attempt; the time line is read when something has happened.
    if (seen.current !== undefined && seen.current !== news) void again();
    seen.current = news;
  }, [news]);
  const timeLine = data.value;
  return (
    <article class="attempt-room">
      <p class="back">
        <a href={linkTo()}>{words.attempt.back}</a>
      </p>
      <Failed failure={failure.value} />
      {timeLine === null || timeLine.attempt.id !== id ? null : (
        <>
          <Head timeLine={timeLine} />
          <Findings findings={timeLine.findings} id={id} />
          <Entries timeLine={timeLine} shown={number === undefined ? null : Number(number)} />
        </>
      )}
    </article>
  );
}
