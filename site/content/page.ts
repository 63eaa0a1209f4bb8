/** The languages of the site. Pages that are not translated are shown in English. */
export type Language = 'ar' | 'en';

/** Where a page is: `/{language}/{slug}/`. The first page of a language has an empty slug. */
export type Place = { readonly language: Language; readonly slug: string };

export type Page = Place & {
  /** The file of the repository that the page is made of, from the root. */
  readonly source: string;
  readonly title: string;
  /** Markdown, as it stands in the source, without the heading that is the title. */
  readonly body: string;
};
