import { FUNCTION_WORDS } from './function-words.ts'
import { listWords } from './words.ts'

/**
 * A text search configuration available since PostgreSQL 14. Each configuration except `simple` has a Snowball
 * stemmer.
 */
export type Language =
  | ('simple' | 'arabic' | 'armenian' | 'basque' | 'catalan' | 'danish' | 'dutch' | 'english' | 'finnish')
  | ('french' | 'german' | 'greek' | 'hindi' | 'hungarian' | 'indonesian' | 'irish' | 'italian')
  | ('lithuanian' | 'nepali' | 'norwegian' | 'portuguese' | 'romanian' | 'russian' | 'serbian' | 'spanish')
  | ('swedish' | 'tamil' | 'turkish' | 'yiddish')

/** Maximum characters that are examined. */
const CHARACTERS_MAX = 4_000
/**
 * Minimum share of function words in a text. A word's weight is 1 divided by the number of languages that have this
 * word. In prose, the share is about a third.
 */
const EVIDENCE_MIN = 0.05

/**
 * Returns the language whose stemmer suits a text best, from the script of most words and from the function words.
 * Returns `simple` for languages without a PostgreSQL stemmer.
 *
 * Without evidence, as in a short heading or a table, returns the most likely language of the script. For ASCII that
 * is English, whose stemmer barely changes words of other languages. For other Latin letters it is `simple`, because
 * ten languages are about equally likely. Pass a whole document rather than its parts, to provide evidence.
 */
export function languageOf(text: string): Language {
  const words = listWords(text.slice(0, CHARACTERS_MAX))
  const counts = new Map<Script, number>()
  for (const word of words) {
    const script = scriptOf(word)
    if (script !== null) counts.set(script, (counts.get(script) ?? 0) + 1)
  }
  const [script] = [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), ['other', 0] as const)
  return detectByWords(words, script) ?? detectByLetters(words, script)
}

type Script =
  | ('latin' | 'greek' | 'cyrillic' | 'armenian' | 'hebrew' | 'arabic')
  | ('devanagari' | 'tamil' | 'other')

/** Unicode blocks by their last code point. */
const BLOCKS: readonly (readonly [number, Script])[] = [
  [0x24f, 'latin'],
  [0x36f, 'other'],
  [0x3ff, 'greek'],
  [0x52f, 'cyrillic'],
  [0x58f, 'armenian'],
  [0x5ff, 'hebrew'],
  [0x6ff, 'arabic'],
  [0x74f, 'other'],
  [0x77f, 'arabic'],
  [0x8ff, 'other'],
  [0x97f, 'devanagari'],
  [0xb7f, 'other'],
  [0xbff, 'tamil'],
  [0x1dff, 'other'],
  [0x1eff, 'latin'],
  [0x1fff, 'greek'],
]
const DIGIT_LAST = 0x39

function scriptOf(word: string): Script | null {
  const code = word.charCodeAt(0)
  if (code <= DIGIT_LAST) return null
  return BLOCKS.find(([last]) => code <= last)?.[1] ?? 'other'
}

/** Returns the language with the most function words. Returns null for a tie or too few function words. */
function detectByWords(words: string[], script: Script): Language | null {
  const evidence = CANDIDATES.map(() => 0)
  for (const word of words) {
    const holders = HOLDERS.get(word) ?? []
    for (const holder of holders) evidence[holder] = (evidence[holder] ?? 0) + 1 / holders.length
  }
  const most = Math.max(...evidence)
  const inScript = words.filter((word) => scriptOf(word) === script).length
  const best = CANDIDATES.filter((_, index) => (evidence[index] ?? 0) > most - 1e-9)
  return best.length === 1 && most >= inScript * EVIDENCE_MIN ? (best[0]?.language ?? null) : null
}

/** Letters that the script's most likely language doesn't use, for scripts shared by several languages. */
const FOREIGN_LETTERS = {
  latin: /[^\0-\x7f]/,
  cyrillic: /[ђѓєѕіїјљњћќўџґәғқңөұүһ]/,
  arabic: /[پچژگکیےہٹڈں]/,
}
const USUAL: Record<Script, Language> = {
  latin: 'english',
  greek: 'greek',
  cyrillic: 'russian',
  armenian: 'armenian',
  hebrew: 'simple',
  arabic: 'arabic',
  devanagari: 'hindi',
  tamil: 'tamil',
  other: 'simple',
}

function detectByLetters(words: string[], script: Script): Language {
  const others =
    script === 'latin' || script === 'cyrillic' || script === 'arabic' ? FOREIGN_LETTERS[script] : null
  return others && words.some((word) => scriptOf(word) === script && others.test(word))
    ? 'simple'
    : USUAL[script]
}

/** Function words used only to detect languages. An entry for `simple` is a language without a stemmer. */
const MORE_WORDS: readonly (readonly [Language, string])[] = [
  ['spanish', 'mi ti e'],
  ['portuguese', 'e do da com sem ao à pelo pela são isso seu sua ele ela eu você também já'],
  ['italian', 'e è chi come ma mi nei ti tra dal alla più anche questo questa ho ha sia dopo'],
  [
    'dutch',
    'de het een en van in is dat op te zijn met voor niet aan er om ook als bij maar naar of hij ze wij deze die dan door wordt worden uit kan meer nog over heeft wat dit',
  ],
  [
    'danish',
    'og i at det er en den til på for af som med ikke de har et jeg var vi fra kan om der han eller men så efter blev denne deres skal også være nogle',
  ],
  [
    'norwegian',
    'og i det er en som på til av for at med ikke den har de om et jeg var vi fra kan han eller men så etter ble denne deres skal også være seg blir noen',
  ],
  [
    'swedish',
    'och i att det som en är på av för med till den inte har de ett om var jag vi från kan men så eller efter blev denna deras ska också vara sig',
  ],
  [
    'finnish',
    'ja on ei se että oli hän en mutta ovat kun tai myös joka jos niin kuin mitä olla tämä sen ole vain sekä jotka kaikki hänen heidän',
  ],
  [
    'hungarian',
    'a az és hogy nem is egy van volt de ez meg csak már ha vagy mint el még be azt ki kell minden lehet',
  ],
  ['romanian', 'și în de la cu nu o pe că un este din a mai se care pentru sunt au fost prin ca sau dar ce'],
  ['turkish', 've bir bu için de da ile ne çok olarak daha gibi olan en kadar var sonra değil ama her mi'],
  [
    'indonesian',
    'yang dan di ini itu dengan untuk tidak dari dalam akan pada juga saya ke karena ada adalah oleh atau bisa sebagai telah',
  ],
  [
    'catalan',
    'el la i de que en un una els les per amb és no al del es com més però són aquest aquesta ha dels',
  ],
  ['irish', 'agus an na ar is a i go le do ag sé tá bhí ní sí mar ach leis air'],
  ['lithuanian', 'ir yra kad su į iš tai kaip bet jis jo ji buvo ar dėl apie po nuo per už'],
  ['basque', 'eta da ez du bat ere dira dute izan zen hau baina bere duen den dela egin'],
  ['serbian', 'i u je da se na su za od sa ne kao što ali on ona oni ili to iz po će'],
  [
    'simple',
    'i w na z do się nie to jest że o jak ale po co tak za od przez dla są może tylko już czy przy oraz',
  ],
  ['simple', 'a v na se je že s z do o to i pro jako za ale po by od jsou byl jsem podle nebo'],
  ['simple', 'a v na sa je že s z do o to aj pre ako za ale po by od sú bol som podľa alebo'],
  ['simple', 'in je na se da za v so z pri ki ne tudi kot po ali'],
  ['simple', 'ja on ei et see kui oli ka mis oma aga ning või'],
  ['simple', 'un ir ka ar no par uz kas bija arī'],
  ['simple', 'và của là các có cho được với không trong một những này đã người khi để'],
  ['simple', 'ang ng sa mga na at ay ito'],
  [
    'russian',
    'и в не на что с по это как его к но он она они мы вы я из за от для все был было быть так же или у о до',
  ],
  ['serbian', 'и у је да се на су за од са не као што али он она они или то из по ће'],
  [
    'simple',
    'і в не на що з та це як його до але він вона вони ми ви я із за від для є був було бути або й у',
  ],
  ['simple', 'і не на што з як гэта для ён яна яны ад але быў'],
  ['simple', 'и се на от да за не с по че са като той тя това е към ще бе или'],
  ['simple', 'и на да се во од за не со како што тој таа ова е ќе или'],
  ['arabic', 'في من على إلى أن هذا هذه التي الذي كان مع لا ما عن هو هي أو و كل بعد'],
  ['simple', 'و در به از که این است را با برای آن یک تا هم می بود شد'],
  ['simple', 'کے کی میں ہے کا سے اور کو پر نے یہ ہیں کہ'],
  ['hindi', 'के में की है को से का और पर ने यह कि हैं एक लिए भी था हो'],
  ['nepali', 'छ र को मा गर्न हरू यो पनि भने लागि गरेको हुन् छन् थियो'],
  ['simple', 'आहे आणि च्या या हे की तो मध्ये ते ही होते केले आहेत'],
  ['yiddish', 'און איז די דער פון פֿון צו מיט ניט נישט ער זי מיר וואס וואָס אין'],
  ['simple', 'של את על לא הוא היא זה עם כי גם'],
]

interface Candidate {
  language: Language
  words: Set<string>
}

const CANDIDATES = candidates()
/** Maps each function word to the indexes of the candidates that have it. */
const HOLDERS = new Map<string, number[]>()
CANDIDATES.forEach(({ words }, index) => {
  for (const word of words) HOLDERS.set(word, [...(HOLDERS.get(word) ?? []), index])
})

/** Lists the candidates. Normalizes their words like the words of a text. */
function candidates(): Candidate[] {
  const known = Object.entries(FUNCTION_WORDS) as [keyof typeof FUNCTION_WORDS, ReadonlySet<string>][]
  const list: Candidate[] = known.map(([language, words]) => ({ language, words: new Set(words) }))
  for (const [language, text] of MORE_WORDS) {
    const words = listWords(text)
    const same = language in FUNCTION_WORDS ? list.find((one) => one.language === language) : undefined
    if (same) for (const word of words) same.words.add(word)
    else list.push({ language, words: new Set(words) })
  }
  return list
}
