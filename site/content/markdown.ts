// What has to be known of Markdown to move a document to another place.

/** A link or picture: what is shown, and where it leads. */
export type Link = {
  readonly isPicture: boolean;
  readonly shown: string;
  readonly target: string;
  /** As it stands in the text. */
  readonly whole: string;
};

const FENCE = /^(\s*)(`{3,}|~{3,})/;
/** A span of code, which is left as it is, or a link. The text of a link may have code in it. */
const CODE_OR_LINK =
  /(`+)(?:(?!\1)[\s\S])+\1|(!?)\[((?:`[^`]*`|\[[^\]]*\]|[^[\]])*)\]\(([^)\s]+)\)/g;

/** Replaces each link outside of code. */
export function replaceLinks(text: string, replace: (link: Link) => string): string {
  return mapProse(text, (prose) =>
    prose.replaceAll(
      CODE_OR_LINK,
      (whole: string, ticks?: string, mark?: string, shown?: string, target?: string) =>
        ticks === undefined
          ? replace({ isPicture: mark === '!', shown: shown ?? '', target: target ?? '', whole })
          : whole,
    ),
  );
}

/** Gives each run of lines outside of fenced code to `change`. */
export function mapProse(text: string, change: (prose: string) => string): string {
  const parts = [{ isCode: false, lines: [] as string[] }];
  let fence: string | undefined;
  for (const line of text.split('\n')) {
    const [, , mark = ''] = FENCE.exec(line) ?? [];
    const opens = fence === undefined && mark !== '';
    if (opens) parts.push({ isCode: true, lines: [] });
    parts.at(-1)?.lines.push(line);
    if (opens) fence = mark;
    else if (fence !== undefined && mark.startsWith(fence)) {
      fence = undefined;
      parts.push({ isCode: false, lines: [] });
    }
  }
  return parts
    .filter(({ lines }) => lines.length > 0)
    .map(({ isCode, lines }) => (isCode ? lines.join('\n') : change(lines.join('\n'))))
    .join('\n');
}

/** The name that a heading gets in the address, by the rules of GitHub. */
function anchorOf(heading: string): string {
  return plainText(heading)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}

/** Text without the marks of Markdown. */
export function plainText(markdown: string): string {
  return markdown
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]|(?<!\w)_|_(?!\w)/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The title of a document, and the rest. */
export function splitTitle(text: string): { readonly title: string; readonly body: string } {
  const [, heading = '', body = ''] = /^# (.+)\n([\s\S]*)$/.exec(text) ?? [];
  return { title: plainText(heading), body: body.trim() };
}

/** The part before the first heading of the second level, and the parts below each of them. */
export function splitSections(body: string) {
  const [before = '', ...sections] = splitAtHeadings(body);
  return {
    before: before.trim(),
    sections: sections.map((text) => {
      const [, heading = ''] = /^## (.+)$/m.exec(text) ?? [];
      return { heading: plainText(heading), text: text.trim() };
    }),
  };
}

function splitAtHeadings(body: string): readonly string[] {
  const marked = mapProse(body, (prose) => prose.replaceAll(/^(?=## )/gm, '\f'));
  return marked.split('\f');
}

/** The names of all headings in a text. */
export function anchorsIn(text: string): readonly string[] {
  const anchors: string[] = [];
  mapProse(text, (prose) => {
    for (const [, heading = ''] of prose.matchAll(/^#+ (.+)$/gm)) anchors.push(anchorOf(heading));
    return prose;
  });
  return anchors;
}
