/**
 * What invented people are called: each word in Arabic and in Latin letters. Given names are common
 * ones. Family names say that their people are invented, as those of the test people do. A marked
 * letter is written with the mark as a character of its own.
 */

/** A word of a name: in Arabic, and in Latin letters. */
export type Word = readonly [arabic: string, latin: string];

/** Of one part of the world. */
export interface Names {
  readonly men: readonly Word[];
  readonly women: readonly Word[];
  readonly families: readonly Word[];
}

export const ARAB: Names = {
  men: [
    ['سالم', 'Salem'],
    ['ناصر', 'Nasser'],
    ['عمر', 'Omar'],
    ['خالد', 'Khalid'],
    ['ماجد', 'Majed'],
    ['سلطان', 'Sultan'],
    ['تركي', 'Turki'],
    ['بدر', 'Badr'],
    ['فهد', 'Fahad'],
    ['سعود', 'Saud'],
    ['راشد', 'Rashed'],
    ['ياسر', 'Yasser'],
    ['وليد', 'Waleed'],
    ['حسن', 'Hassan'],
    ['يوسف', 'Yousef'],
    ['إبراهيم', 'Ibrahim'],
    ['عبدالله', 'Abdullah'],
    ['زياد', 'Ziyad'],
    ['طلال', 'Talal'],
    ['منصور', 'Mansour'],
    ['هاني', 'Hani'],
    ['سمير', 'Samir'],
    ['كريم', 'Kareem'],
    ['رامي', 'Rami'],
  ],
  women: [
    ['نورة', 'Noura'],
    ['سارة', 'Sarah'],
    ['ريم', 'Reem'],
    ['هند', 'Hind'],
    ['لطيفة', 'Latifa'],
    ['منى', 'Mona'],
    ['هيا', 'Haya'],
    ['جواهر', 'Jawaher'],
    ['دانة', 'Dana'],
    ['لمى', 'Lama'],
    ['غادة', 'Ghada'],
    ['مريم', 'Maryam'],
    ['عبير', 'Abeer'],
    ['شهد', 'Shahad'],
    ['رنا', 'Rana'],
    ['وفاء', 'Wafa'],
    ['سلمى', 'Salma'],
    ['ليان', 'Layan'],
    ['جود', 'Joud'],
    ['رهف', 'Rahaf'],
    ['هدى', 'Huda'],
    ['نجلاء', 'Najla'],
    ['بسمة', 'Basma'],
    ['خديجة', 'Khadija'],
  ],
  families: [
    ['النموذجي', 'Alnamuthaji'],
    ['التجريبي', 'Altajribi'],
    ['الخيالي', 'Alkhayali'],
    ['الافتراضي', 'Aliftiradi'],
    ['المبتكر', 'Almubtakar'],
    ['التخيلي', 'Altakhayuli'],
    ['المحاكي', 'Almuhaki'],
    ['المثالي', 'Almithali'],
    ['العيني', 'Alayni'],
    ['المختبري', 'Almukhtabari'],
    ['الورقي', 'Alwaraqi'],
    ['الرقمي', 'Alraqmi'],
    ['المستعار', 'Almustaar'],
    ['القصصي', 'Alqasasi'],
    ['الروائي', 'Alriwai'],
    ['التدريبي', 'Altadribi'],
  ],
};

export const SOUTH_ASIAN: Names = {
  men: [
    ['عمران', 'Imran'],
    ['أحمد', 'Ahmed'],
    ['بلال', 'Bilal'],
    ['عدنان', 'Adnan'],
    ['راجيش', 'Rajesh'],
    ['أنيل', 'Anil'],
    ['كمال', 'Kamal'],
    ['شهيد', 'Shahid'],
  ],
  women: [
    ['عائشة', 'Ayesha'],
    ['سناء', 'Sana'],
    ['بريا', 'Priya'],
    ['نيشا', 'Nisha'],
    ['زينب', 'Zainab'],
    ['رابعة', 'Rabia'],
    ['أنيتا', 'Anita'],
    ['نسرين', 'Nasrin'],
  ],
  families: [
    ['مثالي', 'Misali'],
    ['نمونة', 'Namoona'],
    ['فرضي', 'Farzi'],
    ['خيالي', 'Khayali'],
    ['كالبانيك', 'Kalpanik'],
    ['أداهران', 'Udaharan'],
  ],
};

export const SOUTH_EAST_ASIAN: Names = {
  men: [
    ['بودي', 'Budi'],
    ['أغوس', 'Agus'],
    ['ريزال', 'Rizal'],
    ['خوان', 'Juan'],
    ['دوي', 'Dwi'],
    ['هادي', 'Hadi'],
  ],
  women: [
    ['ديوي', 'Dewi'],
    ['ستي', 'Siti'],
    ['ماريا', 'Maria'],
    ['بوتري', 'Putri'],
    ['روزا', 'Rosa'],
    ['إنداه', 'Indah'],
  ],
  families: [
    ['تشونتوه', 'Contoh'],
    ['ريكان', 'Rekaan'],
    ['هالمباوا', 'Halimbawa'],
    ['كاثانغ', 'Kathang'],
    ['خيالان', 'Khayalan'],
  ],
};

export const EUROPEAN: Names = {
  men: [
    ['لوكاس', 'Lukas'],
    ['باتريك', 'Patrick'],
    ['توماس', 'Thomas'],
    ['بول', 'Paul'],
    ['مارتن', 'Martin'],
    ['لويس', 'Louis'],
  ],
  women: [
    ['آنا', 'Anna'],
    ['كلارا', 'Clara'],
    ['إيما', 'Emma'],
    ['ليا', 'Lea'],
    ['مويرا', 'Moira'],
    ['جولي', 'Julie'],
  ],
  families: [
    ['مسترمان', 'Mustermann'],
    ['بايشبيل', 'Beispiel'],
    ['إكزامبل', 'Exemple'],
    ['سبيسيمن', 'Specimen'],
    ['فيكتيف', 'Fictif'],
    ['بروبه', 'Probe'],
  ],
};

/** Given names of Arabs that a very long name is made of. */
export const COMPOUND: Omit<Names, 'families'> = {
  men: [
    ['عبدالرحمن', 'Abdulrahman'],
    ['عبدالمحسن', 'Abdulmohsen'],
    ['عبدالعزيز', 'Abdulaziz'],
    ['عبدالكريم', 'Abdulkareem'],
    ['عبداللطيف', 'Abdullatif'],
    ['عبدالوهاب', 'Abdulwahhab'],
    ['عبدالسلام', 'Abdulsalam'],
  ],
  women: [
    ['نورالهدى', 'Nouralhuda'],
    ['نورالعين', 'Nouralain'],
    ['شمس الضحى', 'Shamsalduha'],
    ['ست الحسن', 'Sittalhusn'],
    ['أم الخير', 'Ummalkhair'],
    ['زين الشرف', 'Zainalsharaf'],
    ['درة البيان', 'Durratalbayan'],
  ],
};

/** Words in which something is hard, for Arabic names and for others. */
export interface HardNames {
  readonly arab: Names;
  readonly other: Names;
}

/** In Latin letters: the straight one and the typographic one. */
export const APOSTROPHE: HardNames = {
  arab: {
    men: [
      ['علاء', "Ala'a"],
      ['براء', "Bara'a"],
      ['بهاء', 'Baha’a'],
      ['مؤمن', "Mu'min"],
    ],
    women: [
      ['دعاء', "Du'a"],
      ['سعاد', "Su'ad"],
      ['رؤى', 'Ru’a'],
      ['إسراء', "Isra'a"],
    ],
    families: [
      ['العيّني', "Al-'Ayyini"],
      ['المعماري', "Alma'mari"],
      ['المستعار', 'Almusta’ar'],
    ],
  },
  other: {
    men: [
      ['دارسي', "D'Arcy"],
      ['داندريه', 'D’Andre'],
    ],
    women: [
      ['دارسي', "D'Arcy"],
      ['شانيس', "Sha'Nice"],
    ],
    families: [
      ['أوسبيسيمن', "O'Specimen"],
      ['دوإكزامبل', 'D’Exemple'],
    ],
  },
};

/** In Latin letters, and for some in Arabic too. */
export const HYPHEN: HardNames = {
  arab: {
    men: [
      ['عبد الإله', 'Abd-Alilah'],
      ['نور الدين', 'Nour-Aldin'],
      ['سيف الدين', 'Saif-Aldin'],
    ],
    women: [
      ['نور الصباح', 'Nour-Alsabah'],
      ['ست البنات', 'Sitt-Albanat'],
      ['زين الشرف', 'Zain-Alsharaf'],
    ],
    families: [
      ['النموذجي', 'Al-Namuthaji'],
      ['التجريبي', 'Al-Tajribi'],
      ['الخيالي-الرقمي', 'Alkhayali-Alraqmi'],
    ],
  },
  other: {
    men: [
      ['جان بول', 'Jean-Paul'],
      ['كارل هاينز', 'Karl-Heinz'],
    ],
    women: [
      ['آن ماري', 'Anne-Marie'],
      ['ماري لويز', 'Marie-Louise'],
    ],
    families: [
      ['مسترمان-بروبه', 'Mustermann-Probe'],
      ['إكزامبل-فيكتيف', 'Exemple-Fictif'],
    ],
  },
};

/** Each word has a combining mark in at least one of its two forms. */
export const MARKS: HardNames = {
  arab: {
    men: [
      ['مُحَمَّد', 'Muh\u0323ammad'],
      ['أَحْمَد', 'Ah\u0323mad'],
      ['صَالِح', 'S\u0323a\u0304lih\u0323'],
    ],
    women: [
      ['فَاطِمَة', 'Fa\u0304t\u0323imah'],
      ['حَلِيمَة', 'H\u0323ali\u0304mah'],
      ['صَفِيَّة', 'S\u0323afiyyah'],
    ],
    families: [
      ['النَّمُوذَجِيّ', 'Alnamu\u0304dhaji\u0304'],
      ['التَّجْرِيبِيّ', 'Altajri\u0304bi\u0304'],
    ],
  },
  other: {
    men: [
      ['خوسيه', 'Jose\u0301'],
      ['بيورن', 'Bjo\u0308rn'],
    ],
    women: [
      ['زوي', 'Zoe\u0308'],
      ['شيفون', 'Siobha\u0301n'],
    ],
    families: [
      ['سبيسيمن', 'Spe\u0301cimen'],
      ['إكزامبليه', 'Exemple\u0301'],
    ],
  },
};
