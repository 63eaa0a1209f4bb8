import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useCall } from '../../api/use-call.ts';
import { Failed } from '../../parts/failed.tsx';
import { Title } from '../../parts/title.tsx';
import { whileShown } from '../../platform/ticks.ts';
import { linkTo } from '../../router.ts';
import { attempts } from '../../state/attempts.ts';
import { words } from '../../words/index.ts';
import { Entries } from './entries.tsx';
import { Findings } from './findings.tsx';
import { Head } from './head.tsx';

/** Some findings say that nothing was done for some time, of which no event tells. */
const AGAIN_MS = 15_000;

/** One attempt: what it is, what should be looked at, and everything that happened. */
export function Attempt({ rest }: { readonly rest: readonly string[] }): JSX.Element {
  const [id = '', number] = rest;
  return <OneAttempt key={id} id={id} shown={number === undefined ? null : Number(number)} />;
}

type Properties = { readonly id: string; readonly shown: number | null };

function OneAttempt({ id, shown }: Properties): JSX.Element {
  const { data, failure, again } = useCall('readAttempt', id);
  useEffect(() => whileShown(AGAIN_MS, () => void again()), [again]);
  useNews(id, again);
  const timeLine = data.value;
  return (
    <article class="attempt-room">
      <p class="back">
        <a href={linkTo()}>{words.attempt.back}</a>
      </p>
      {timeLine === null && failure.value !== null ? <Title>{words.attempt.any}</Title> : null}
      <Failed failure={failure.value} />
      {timeLine === null ? null : (
        <>
          <Head timeLine={timeLine} />
          <Findings findings={timeLine.findings} id={id} />
          <Entries timeLine={timeLine} shown={shown} />
        </>
      )}
    </article>
  );
}

/**
 * The list hears of the attempt; the time line is read when something has happened. An answer that
 * is still on its way may be older than the news.
 */
function useNews(id: string, again: () => Promise<void>): void {
  const news = attempts.rows.value?.find((row) => row.id === id);
  const seen = useRef(news);
  useEffect(() => {
    if (seen.current !== news) void again();
    seen.current = news;
  }, [news, again]);
}
