import { describe, expect, test } from 'vitest'
import { makeDocument, type Part, para, run } from '#tests/support/office-files.ts'
import { readAs } from '#tests/support/read-as.ts'

const read = (body: string, parts: Part[] = []): Promise<string> => readAs(makeDocument(body, parts), 'docx')

describe('fields', () => {
  const mark = (type: string, inner = '') =>
    `<w:r><w:fldChar w:fldCharType="${type}">${inner}</w:fldChar></w:r>`
  const code = (text: string) => `<w:r><w:instrText xml:space="preserve"> ${text} </w:instrText></w:r>`
  const complex = (instruction: string, result: string) =>
    mark('begin') + code(instruction) + mark('separate') + result + mark('end')
  const simple = (instruction: string, ...runs: string[]) =>
    `<w:fldSimple w:instr=" ${instruction} ">${runs.join('')}</w:fldSimple>`
  const form = (data: string, type: string, result = '') =>
    mark('begin', `<w:ffData><w:name w:val="f"/>${data}</w:ffData>`) +
    code(type) +
    mark('separate') +
    result +
    mark('end')
  test.each<[what: string, runs: string, expected: string]>([
    ['simple', simple('MERGEFIELD No', run('C-4711')), 'C-4711'],
    ['simple with several runs', simple('MERGEFIELD No', run('C-'), run('4711', '<w:b/>')), 'C-4711'],
    [
      'simple in a hyperlink',
      `<w:hyperlink w:anchor="x">${simple('REF x', run('section 2'))}</w:hyperlink>`,
      'section 2',
    ],
    ['simple in a field', simple('IF a', simple('MERGEFIELD b', run('inner'))), 'inner'],
    ['simple in an insertion', `<w:ins w:id="1">${simple('DATE', run('15 March'))}</w:ins>`, '15 March'],
    ['complex', complex('MERGEFIELD Customer', run('Alice')), 'Alice'],
    [
      'complex with split code',
      mark('begin') +
        code('MERGE') +
        code('FIELD x') +
        mark('separate') +
        run('Al') +
        run('ice') +
        mark('end'),
      'Alice',
    ],
    ['complex in a field', complex('IF', complex('MERGEFIELD a', run('yes'))), 'yes'],
    [
      'complex with a field in its code',
      mark('begin') +
        code('IF') +
        complex('MERGEFIELD a', run('hidden')) +
        mark('separate') +
        run('shown') +
        mark('end'),
      'shown',
    ],
    [
      'a hyperlink',
      complex('HYPERLINK "https://example.com/a"', run('our page')),
      '[our page](https://example.com/a)',
    ],
    ['a hyperlink to a place', complex('HYPERLINK \\l "top"', run('top')), 'top'],
    [
      'a hyperlink without quotes',
      complex('HYPERLINK https://example.com/b', run('b')),
      '[b](https://example.com/b)',
    ],
    [
      'a checked box',
      form('<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>', 'FORMCHECKBOX'),
      '☒',
    ],
    [
      'a box that is checked by default',
      form('<w:checkBox><w:default w:val="1"/></w:checkBox>', 'FORMCHECKBOX'),
      '☒',
    ],
    [
      'an unchecked box',
      form('<w:checkBox><w:default w:val="1"/><w:checked w:val="0"/></w:checkBox>', 'FORMCHECKBOX'),
      '☐',
    ],
    [
      'a list',
      form(
        '<w:ddList><w:result w:val="1"/><w:listEntry w:val="red"/><w:listEntry w:val="blue"/></w:ddList>',
        'FORMDROPDOWN',
      ),
      'blue',
    ],
    [
      'a list without a choice',
      form('<w:ddList><w:listEntry w:val="red"/><w:listEntry w:val="blue"/></w:ddList>', 'FORMDROPDOWN'),
      'red',
    ],
    ['a text', form('<w:textInput/>', 'FORMTEXT', run('filled in')), 'filled in'],
    ['an equation', mark('begin') + code('EQ \\f(1,2)') + mark('end'), '\\f(1,2)'],
    ['a page number in the text', simple('PAGEREF x', run('12')), '12'],
  ])('%s', async (_what, runs, expected) => {
    expect(await read(para(run('before '), runs, run(' after')))).toBe(`before ${expected} after`)
  })
})

describe('check boxes', () => {
  const box = (checked: string, content: string) =>
    `<w:sdt><w:sdtPr><w:alias w:val="Box"/><w14:checkbox>${checked}<w14:checkedState w14:val="2612" w14:font="MS Gothic"/></w14:checkbox></w:sdtPr><w:sdtContent>${content}</w:sdtContent></w:sdt>`
  const on = '<w14:checked w14:val="1"/>'
  const off = '<w14:checked w14:val="0"/>'
  test.each<[what: string, body: string, expected: string]>([
    ['checked', para(box(on, run('☒')), run(' Yes')), '☒ Yes'],
    ['unchecked', para(box(off, run('☐')), run(' No')), '☐ No'],
    ['with the word true', para(box('<w14:checked w14:val="true"/>', run('☒')), run(' Yes')), '☒ Yes'],
    [
      'with its own sign',
      para(box(on, '<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>'), run(' Yes')),
      '☒ Yes',
    ],
    [
      'with an unknown sign',
      para(box(on, '<w:r><w:sym w:font="Odd" w:char="0041"/></w:r>'), run(' Yes')),
      '☒ Yes',
    ],
    ['around a paragraph', box(on, para(run('☒'))), '☒'],
    ['as a symbol', para('<w:r><w:sym w:font="Wingdings" w:char="F0A8"/></w:r>', run(' open')), '☐ open'],
    [
      'as a ticked symbol',
      para('<w:r><w:sym w:font="Wingdings 2" w:char="F052"/></w:r>', run(' done')),
      '☑ done',
    ],
    ['two in a line', para(box(on, run('☒')), run(' Yes '), box(off, run('☐')), run(' No')), '☒ Yes ☐ No'],
  ])('%s', async (_what, body, expected) => {
    expect(await read(body)).toBe(expected)
  })
})

describe('text boxes', () => {
  const content = (...texts: string[]) =>
    `<w:txbxContent>${texts.map((text) => para(run(text))).join('')}</w:txbxContent>`
  const modern = (...texts: string[]) =>
    `<w:drawing><wp:anchor><a:graphic><a:graphicData><wps:wsp><wps:txbx>${content(...texts)}</wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing>`
  const old = (...texts: string[]) =>
    `<w:pict><v:shape><v:textbox>${content(...texts)}</v:textbox></v:shape></w:pict>`
  const both = (first: string, second: string) =>
    `<w:r><mc:AlternateContent><mc:Choice Requires="wps">${first}</mc:Choice><mc:Fallback>${second}</mc:Fallback></mc:AlternateContent></w:r>`
  test.each<[what: string, body: string, expected: string]>([
    ['without a fallback', para(`<w:r>${modern('BOX')}</w:r>`), 'BOX'],
    ['with a fallback', para(both(modern('BOX'), old('BOX'))), 'BOX'],
    [
      'with a choice only',
      para(
        `<w:r><mc:AlternateContent><mc:Choice Requires="wps">${modern('BOX')}</mc:Choice></mc:AlternateContent></w:r>`,
      ),
      'BOX',
    ],
    ['with text in the fallback only', para(both('<w:drawing/>', old('BOX'))), 'BOX'],
    ['of old files', para(`<w:r>${old('BOX')}</w:r>`), 'BOX'],
    ['of several paragraphs', para(`<w:r>${modern('one', 'two')}</w:r>`), 'one\n\ntwo'],
    ['in a sentence', para(run('Hello '), `<w:r>${modern('BOX')}</w:r>`, run('world')), 'Hello world\n\nBOX'],
    ['two in a paragraph', para(both(modern('A1'), old('A1')), both(modern('B1'), old('B1'))), 'A1\n\nB1'],
    [
      'in a text box',
      para(
        `<w:r><w:drawing><wps:txbx><w:txbxContent>${para(run('outer'), `<w:r>${modern('inner')}</w:r>`)}</w:txbxContent></wps:txbx></w:drawing></w:r>`,
      ),
      'outer\n\ninner',
    ],
    [
      'in a group',
      para(
        `<w:r><w:drawing><wp:inline><a:graphic><wps:wgp><wps:wsp><wps:txbx>${content('G1')}</wps:txbx></wps:wsp><wps:wsp><wps:txbx>${content('G2')}</wps:txbx></wps:wsp></wps:wgp></a:graphic></wp:inline></w:drawing></w:r>`,
      ),
      'G1\n\nG2',
    ],
    [
      'in a table',
      `<w:tbl><w:tr><w:tc>${para(run('a'), `<w:r>${modern('BOX')}</w:r>`)}</w:tc><w:tc>${para(run('b'))}</w:tc></w:tr></w:tbl>`,
      '| a BOX | b |\n| --- | --- |',
    ],
    [
      'with a table',
      para(
        `<w:r><w:drawing><wps:txbx><w:txbxContent><w:tbl><w:tr><w:tc>${para(run('x'))}</w:tc><w:tc>${para(run('y'))}</w:tc></w:tr></w:tbl></w:txbxContent></wps:txbx></w:drawing></w:r>`,
      ),
      '| x | y |\n| --- | --- |',
    ],
    [
      'that are pictures',
      para(
        '<w:r><w:drawing><wp:inline><wp:docPr id="1" name="p" descr="A red car"/></wp:inline></w:drawing></w:r>',
      ),
      'A red car',
    ],
    [
      'that are word art',
      para('<w:r><w:pict><v:shape><v:textpath string="DRAFT"/></v:shape></w:pict></w:r>'),
      'DRAFT',
    ],
  ])('%s', async (_what, body, expected) => {
    expect(await read(body)).toBe(expected)
  })
})
