import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { encodeText, keepEncodable } from '#tests/support/encode-text.ts'
import { createTextReader, decodeText } from './decode-text.ts'
import { classifyText, findEncoding } from './text-encoding.ts'
import { isKnownEncoding } from './unicode-text.ts'

const folder = mkdtempSync(join(tmpdir(), 'parley-encodings-'))
afterAll(() => rmSync(folder, { recursive: true }))

function store(bytes: Uint8Array): string {
  const path = join(folder, 'stored')
  writeFileSync(path, bytes)
  return path
}

/** Returns what a reader sees of a file, and the encoding. */
async function read(bytes: Buffer) {
  const path = store(bytes)
  const found = await findEncoding(path)
  expect(await classifyText(path)).not.toBeNull()
  return { ...found, text: found === null ? null : decodeText(found.encoding, bytes) }
}

/** A sentence in each language. */
const SENTENCES: Record<string, string> = {
  ar: 'استرداد الأموال خلال ثلاثين يوما بدون شروط',
  bg: 'Връщане в срок от тридесет дни без условия',
  cs: 'Vrácení peněz do třiceti dnů, čerstvá jablka ze zahrady, děkuji',
  da: 'Tilbagebetaling på køb inden tredive dage, så længe æblerne er grønne',
  de: 'Rückgabe innerhalb dreißig Tagen möglich, schöne Grüße aus Köln',
  el: 'Επιστροφή εντός τριάντα ημερών χωρίς όρους',
  en: 'Refund within thirty days, no questions asked',
  es: 'Devolución en treinta días, ¿cuándo llegará el año que viene? Mañana',
  et: 'Tagasimakse kolmekümne päeva jooksul, värsked õunad aiast',
  fr: 'Le café à Noël, déjà payé, reçu ci-joint, le goût de l’été',
  he: 'החזר כספי תוך שלושים יום ללא תנאים',
  hr: 'Povrat novca u roku od trideset dana, žao nam je što svježe jabuke kasne, Đurđa',
  hu: 'Visszatérítés harminc napon belül, jövő hétfőn küldjük, köszönjük',
  ja: '返金は三十日以内です。りんごとバナナ',
  ko: '환불은 삼십 일 이내에 가능합니다. 똠얌 수프',
  lt: 'Pinigų grąžinimas per trisdešimt dienų, švieži obuoliai iš sodo, ačiū',
  lv: 'Naudas atmaksa trīsdesmit dienu laikā, svaigi āboli no dārza',
  pl: 'Zwrot w ciągu trzydziestu dni, żółte jabłka są dostępne, proszę czekać',
  pt: 'Devolução até trinta dias, não há condições, açúcar e pão',
  ro: 'Rambursare în treizeci de zile, mere proaspete din grădină, mulţumim',
  ru: 'Возврат в течение тридцати дней без условий',
  sv: 'Återbetalning inom trettio dagar, köpet är öppet på måndag',
  th: 'คืนเงินภายในสามสิบวันโดยไม่มีเงื่อนไข',
  tr: 'Otuz gün içinde koşulsuz iade, İğdır elmaları, şikâyet yok',
  uk: 'Повернення протягом тридцяти днів, її ґанок і свіжі яблука',
  zh: '退款政策为三十天，无条件退款',
  'zh-TW': '退款政策為三十天內無條件退款。',
}

const WESTERN = ['da', 'de', 'es', 'fr', 'pt', 'sv']
const CENTRAL = ['cs', 'hr', 'hu', 'pl', 'ro']
const UNICODE = ['ar', 'de', 'en', 'ja', 'ko', 'ru', 'th', 'zh']
const ENCODINGS: Record<string, string[]> = {
  'utf-8': UNICODE,
  'utf-16le': UNICODE,
  'utf-16be': UNICODE,
  'utf-32le': UNICODE,
  'utf-32be': UNICODE,
  gbk: ['zh'],
  gb18030: ['zh'],
  big5: ['zh-TW'],
  shift_jis: ['ja'],
  'euc-jp': ['ja'],
  'iso-2022-jp': ['ja'],
  'euc-kr': ['ko'],
  'windows-1250': CENTRAL,
  'windows-1251': ['bg', 'ru', 'uk'],
  'windows-1252': WESTERN,
  'windows-1253': ['el'],
  'windows-1254': ['tr'],
  'windows-1255': ['he'],
  'windows-1256': ['ar'],
  'windows-1257': ['et', 'lt', 'lv'],
  'windows-874': ['th'],
  'iso-8859-2': CENTRAL,
  'iso-8859-4': ['lt', 'lv'],
  'iso-8859-5': ['bg', 'ru'],
  'iso-8859-6': ['ar'],
  'iso-8859-7': ['el'],
  'iso-8859-8': ['he'],
  'iso-8859-9': ['tr'],
  'iso-8859-13': ['lt', 'lv'],
  'iso-8859-15': WESTERN,
  'koi8-r': ['ru'],
  'koi8-u': ['uk'],
  ibm866: ['ru'],
  macintosh: WESTERN,
  'x-mac-cyrillic': ['ru', 'uk'],
}

const REGIONS =
  'AT BR CH CN CZ DE DK EG ES FR GB GR HU IE IL IT JP KR LT LV MX NL NO PL PT RO RU SE TH TR UA US'.split(' ')

/** Returns a table with names of countries and dates in a language, as Unicode's locale data has them. */
function tableIn(language: string): string {
  const names = new Intl.DisplayNames(language, { type: 'region' })
  const dates = new Intl.DateTimeFormat(language, { dateStyle: 'full', timeZone: 'UTC' })
  return REGIONS.map((region, index) => {
    const date = dates.format(new Date(Date.UTC(2026, index % 12, 1 + index)))
    return `${index};${names.of(region)};${date}\r\n`
  }).join('')
}

const CASES = Object.entries(ENCODINGS).flatMap(([encoding, languages]) =>
  languages.flatMap((language) => [
    { encoding, language, kind: 'a sentence', text: keepEncodable(encoding, SENTENCES[language] ?? '') },
    {
      encoding,
      language,
      kind: 'a small table',
      text: keepEncodable(encoding, `id;name\n1;${SENTENCES[language]}\n2;x\n`),
    },
    { encoding, language, kind: 'a table', text: keepEncodable(encoding, tableIn(language)) },
  ]),
)

test.each(CASES)('$kind in $language is read from $encoding', async ({ encoding, text }) => {
  expect((await read(encodeText(encoding, text))).text).toBe(text)
})

test('the table has at least 25 encodings and 200 texts', () => {
  expect(Object.keys(ENCODINGS).length).toBeGreaterThanOrEqual(25)
  expect(CASES.length).toBeGreaterThan(200)
})

describe('the encoding of a text', () => {
  const BOM = '\ufeff'
  test.each(['utf-8', 'utf-16le', 'utf-16be', 'utf-32le', 'utf-32be'])(
    'is that of its mark: %s',
    async (encoding) => {
      expect(await read(encodeText(encoding, `${BOM}Zoë`))).toEqual({
        encoding,
        isDoubtful: false,
        text: 'Zoë',
      })
    },
  )

  test.each([
    ['one word', 'windows-1252', 'Zoë'],
    ['a sign', 'windows-1252', '100 °C'],
    ['a quotation', 'windows-1252', '“quoted” – it’s'],
    ['an accent', 'windows-1252', 'Le café'],
    ['two characters', 'gbk', '退款'],
    ['a greeting', 'koi8-r', 'Привет'],
  ])('is doubtful in a short text: %s', async (_what, encoding, text) => {
    expect(await read(encodeText(encoding, text))).toMatchObject({ isDoubtful: true, text })
  })

  test('is found late in a file', async () => {
    const ascii = 'id;name;note\n'.repeat(300_000)
    const { encoding } = await read(
      Buffer.concat([Buffer.from(ascii), encodeText('gbk', SENTENCES['zh'] ?? '')]),
    )
    expect(encoding).toBe('gb18030')
  })

  test('is the same wherever the file is cut into chunks', async () => {
    for (let shift = 0; shift < 4; shift++) {
      const text = `${'x'.repeat(shift)}${`${SENTENCES['ja']}\n`.repeat(3_000)}`
      for (const encoding of ['shift_jis', 'euc-jp', 'utf-8'])
        expect((await read(encodeText(encoding, text))).text).toBe(text)
    }
  })

  test('is UTF-8 despite a few invalid bytes', async () => {
    const damaged = Buffer.concat([
      Buffer.from(SENTENCES['ru'] ?? ''),
      Buffer.from([0xd0]),
      Buffer.from(' да'),
    ])
    expect(await read(damaged)).toMatchObject({ encoding: 'utf-8', isDoubtful: false })
    expect((await read(Buffer.from('Zoë, ë').subarray(0, -1))).encoding).toBe('utf-8')
  })

  test('is none for bytes that are no text', async () => {
    const samples = [
      Buffer.alloc(1_000),
      Buffer.from('\x7fELF\x02\x01\x01\0\0\0\0', 'latin1'),
      Buffer.from('text\0with\0zeros', 'latin1'),
      Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'),
      Buffer.from(Array.from({ length: 4_096 }, (_, index) => (index * 7919 + (index >> 3)) % 256)),
    ]
    for (const sample of samples) {
      expect(await findEncoding(store(sample))).toBeNull()
      expect(await classifyText(store(sample))).toBeNull()
    }
  })

  test('costs no more for a large file', async () => {
    const timeOf = async (bytes: Buffer): Promise<number> => {
      const path = store(bytes)
      const begin = performance.now()
      await findEncoding(path)
      return performance.now() - begin
    }
    const line = encodeText('windows-1251', `${SENTENCES['ru']}\n`)
    await timeOf(line)
    // 100 MB, of which the first 8 are scanned and 64 kB are examined.
    expect(await timeOf(Buffer.alloc(100_000_000, line))).toBeLessThan(10_000)
  })
})

describe('a decoder', () => {
  test('reads a text in pieces of any size', () => {
    for (const encoding of [
      'utf-32le',
      'utf-32be',
      'gbk',
      'shift_jis',
      'euc-kr',
      'utf-16be',
      'iso-2022-jp',
    ]) {
      const text = `${SENTENCES[encoding === 'euc-kr' ? 'ko' : encoding === 'gbk' ? 'zh' : 'ja']}\n`
      const bytes = encodeText(encoding, text)
      for (const size of [1, 2, 3, 5]) {
        const reader = createTextReader(encoding)
        let decoded = ''
        for (let at = 0; at < bytes.length; at += size)
          decoded += reader.decode(bytes.subarray(at, at + size))
        expect(decoded + reader.end()).toBe(text)
      }
    }
  })

  test('replaces invalid bytes', () => {
    expect(decodeText('utf-32le', Buffer.from([0x41, 0, 0, 0, 0, 0, 0x11, 0, 0, 0xd8, 0, 0, 1]))).toBe(
      'A\ufffd\ufffd\ufffd',
    )
    expect(decodeText('gbk', Buffer.from([0xcd, 0xcb, 0xff]))).toBe('退\ufffd')
  })

  test.each([
    'gbk',
    'GB2312',
    ' Shift-JIS',
    'sjis',
    'latin1',
    'cp1251',
    'mac',
    'utf-32LE',
    'utf8',
    'ks_c_5601-1987',
  ])('knows %s', (label) => expect(isKnownEncoding(label)).toBe(true))
  test.each(['', 'gbk-2', 'utf-7', 'replacement', 'utf-32', '../utf-8', '__proto__'])(
    'does not know %j',
    (label) => expect(isKnownEncoding(label)).toBe(false),
  )
})
