import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { foldWord, variantOf, WORDS_VERSION, withoutParticles } from './word-variants.ts'
import { listWords } from './words.ts'

test.each([
  ['đường', 'duong'],
  ['straße', 'strasse'],
  ['i\u0307stanbul', 'istanbul'],
  ['ısı', 'isi'],
  ['łódź', 'lodz'],
  ['smørrebrød', 'smorrebrod'],
  ['œuvre', 'oeuvre'],
  ['þjóð', 'thjod'],
  ['أحمد', 'احمد'],
  ['آمن', 'امن'],
  ['ٱلكتاب', 'الكتاب'],
  ['مُحَمَّد', 'محمد'],
  ['مدرسة', 'مدرسه'],
  ['شـــكر', 'شكر'],
  ['שָׁלוֹם', 'שלום'],
  ['άλφα', 'αλφα'],
  ['σοφός', 'σοφοσ'],
  ['ёлка', 'елка'],
  ['за\u0301мок', 'замок'],
  ['1\u20e3', '1'],
])('%s is folded to %s', (word, folded) => {
  expect(foldWord(word)).toBe(folded)
})

test.each(['май', 'їжак', 'が', 'ガ', 'हिन्दी', 'ไทย', '환불', 'plain', '漢', '\u0301', '42', 'தமிழ்'])(
  '%s keeps its marks',
  (word) => {
    expect(foldWord(word)).toBe(word)
  },
)

test('folding again changes nothing, for every letter', () => {
  for (let code = 0x80; code < 0x10000; code++)
    for (const word of listWords(String.fromCharCode(code)))
      if (foldWord(foldWord(word)) !== foldWord(word))
        expect.soft(foldWord(foldWord(word))).toBe(foldWord(word))
})

test.each([
  [
    '환불',
    '환불은 환불을 환불이 환불의 환불도 환불에 환불에서 환불에서는 환불로 환불까지 환불부터 환불과 환불만 환불조차',
  ],
  [
    '환불',
    '환불입니다 환불이다 환불이란 환불이라는 환불하다 환불합니다 환불했어요 환불하려면 환불됩니다 환불되나요 환불받을 환불해주세요',
  ],
  ['고객', '고객은 고객을 고객이 고객에게 고객들은 고객들에게 고객께서 고객한테'],
  ['회사', '회사 회사는 회사를 회사가 회사와 회사의 회사로 회사에서'],
  ['서울', '서울 서울로 서울에서 서울까지 서울은'],
  ['집', '집 집은 집을 집이 집에 집에서 집으로'],
  ['결과', '결과 결과는 결과를 결과가 결과와'],
  ['회의', '회의 회의는 회의를 회의에서'],
  ['마을', '마을 마을은 마을을 마을에서'],
  ['도로', '도로 도로는 도로를 도로에서'],
  ['아들', '아들 아들은 아들이 아들에게'],
  ['우리나라', '우리나라 우리나라는 우리나라에서'],
  ['카메라', '카메라 카메라는 카메라를'],
])('%s has the forms %s', (noun, forms) => {
  for (const form of forms.split(' ')) expect(withoutParticles(form), form).toBe(noun)
})

test.each(['만족도', '첫사랑', '고속도로', '우편함', '고양이', '바나나', '접근권한'])(
  '%s has one form, with and without particles',
  (noun) => {
    const isConsonant = (noun.charCodeAt(noun.length - 1) - 0xac00) % 28 !== 0
    for (const particle of isConsonant ? ['은', '을', '에서', '까지'] : ['는', '를', '에서', '까지'])
      expect(withoutParticles(noun + particle)).toBe(withoutParticles(noun))
  },
)

test.each(['plain', '42', '漢', 'refund', 'книга', '환불', 'คืน'])('%s has no other form', (word) => {
  expect(variantOf(word)).toBeNull()
})

test('the indexes that find outdated rows, and their queries, are of the current version', () => {
  for (const file of [
    'server/database/schema/kb.ts',
    'server/database/schema/chat-words.ts',
    'server/parts/kb/find-work-system.ts',
    'server/parts/chat/index-messages-system.ts',
  ])
    expect(readFileSync(file, 'utf8'), file).toMatch(new RegExp(`ersion\\}? < ${WORDS_VERSION}\\b`))
})
