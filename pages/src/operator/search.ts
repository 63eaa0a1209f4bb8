import { h } from 'preact';
import { operatorCopyIn } from '../copy/operator.ts';
import type { Page } from '../document.ts';
import { personNames } from '../people.ts';
import { field, form, grid, inLocale, notice, operatorPage, submit } from './frame.ts';
import type { OperatorFrame } from './frame.ts';
import { OPERATOR_FORMS, personPlace } from './places.ts';

/** What a search by number has found; several where two registers give one number. */
export type FoundUser = {
  readonly userId: number;
  readonly arabicName: string;
  readonly englishName: string;
};

export type OperatorSearchPage = OperatorFrame & {
  readonly found?: 'nobody' | 'wrongNumber' | 'wrongReason' | readonly FoundUser[];
};

export function operatorSearchPage(page: OperatorSearchPage): Page {
  const { locale, role } = page;
  const copy = operatorCopyIn(locale);
  const { find } = copy;
  return operatorPage(
    page,
    { title: find.title, place: 'search' },
    found(page),
    h(
      'div',
      { class: 'operator-forms' },
      form(
        page,
        OPERATOR_FORMS.find,
        field(find.attempt, { name: 'attempt_id', maxlength: 100, required: true }),
        submit(copy.search),
      ),
      form(
        page,
        OPERATOR_FORMS.find,
        field(find.user, { name: 'user_id', inputmode: 'numeric', maxlength: 20, required: true }),
        submit(copy.search),
      ),
      role === 'viewer'
        ? null
        : form(
            page,
            OPERATOR_FORMS.number,
            field(
              find.number,
              { name: 'national_id', inputmode: 'numeric', maxlength: 40, required: true },
              find.numberHint,
            ),
            field(copy.acts.reasonOptional, { name: 'reason', maxlength: 200, dir: 'auto' }),
            submit(copy.search),
          ),
    ),
  );
}

function found({ found: what, locale }: OperatorSearchPage) {
  if (what === undefined) return null;
  const copy = operatorCopyIn(locale);
  if (what === 'wrongReason') return notice(copy.acts.wrongReason);
  if (typeof what === 'string') return notice(copy.find[what]);
  const rows = what.map((user) => [
    h('a', { href: inLocale(personPlace(user.userId), locale) }, user.userId),
    personNames(user, locale),
  ]);
  return [
    notice(copy.find.several),
    grid(copy, copy.find.title, [copy.find.user, copy.person.name], rows),
  ];
}
