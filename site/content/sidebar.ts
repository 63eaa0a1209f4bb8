// The navigation as Starlight wants it.

import { DECISIONS, GROUPS, REST, type Group } from './groups.ts';
import type { Page } from './page.ts';

type Item = {
  readonly label: string;
  readonly slug: string;
  readonly translations?: Readonly<Record<string, string>>;
};

export type SidebarGroup = {
  readonly label: string;
  readonly translations: Readonly<Record<string, string>>;
  readonly collapsed: boolean;
  readonly items: readonly Item[];
};

export function sidebarOf(pages: readonly Page[]): readonly SidebarGroup[] {
  const english = pages.filter(({ language }) => language === 'en');
  const ungrouped = ungroupedIn(pages);
  const rest = english.filter(({ slug }) => ungrouped.includes(slug)).map(toItem);
  const decisions = english.filter(({ slug }) => isDecision(slug)).map(toItem);
  const groups = GROUPS.map((group) => toGroup(group, english));
  const all = [
    ...groups,
    { ...named(REST), collapsed: true, items: rest },
    { ...named(DECISIONS), collapsed: true, items: decisions },
  ];
  return all.filter(({ items }) => items.length > 0);
}

/** Pages that no group lists. */
export function ungroupedIn(pages: readonly Page[]): readonly string[] {
  const listed = new Set(GROUPS.flatMap(({ entries }) => entries.map(({ slug }) => slug)));
  const slugs = pages.map(({ slug }) => slug).filter((slug) => !isDecision(slug));
  return [...new Set(slugs)].filter((slug) => !listed.has(slug));
}

function isDecision(slug: string): boolean {
  return slug === 'decisions' || slug.startsWith('decisions/');
}

function toGroup(group: Group, pages: readonly Page[]): SidebarGroup {
  const items = group.entries.flatMap(({ slug, en, ar }) => {
    const page = pages.find((one) => one.slug === slug);
    if (page === undefined) return [];
    return [{ label: en ?? page.title, slug, translations: { ar: ar ?? page.title } }];
  });
  return { ...named(group), collapsed: false, items };
}

function named({ en, ar }: { readonly en: string; readonly ar: string }) {
  return { label: en, translations: { ar } };
}

function toItem({ title, slug }: Page): Item {
  return { label: title, slug };
}
