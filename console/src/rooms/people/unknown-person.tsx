import type { JSX } from 'preact';
import { Title } from '../../parts/title.tsx';
import { linkTo } from '../../router.ts';
import { words } from '../../words/index.ts';

/** In the place of a person whom the scope does not have. */
export function UnknownPerson(): JSX.Element {
  const { title, form } = words.people;
  return (
    <>
      <Title>{title}</Title>
      <p>{form.missing}</p>
      <p>
        <a href={linkTo('people')}>{form.back}</a>
      </p>
    </>
  );
}
