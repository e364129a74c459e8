import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type axe from 'axe-core'
import type { Frame, Page } from 'playwright-core'

/** The minified source. It is half the size of `axe.source`, and every tested document has to parse it. */
const SOURCE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Enables the WCAG rules and the best practices with serious impact. All rules would double the run time. */
const OPTIONS: axe.RunOptions = {
  iframes: false,
  resultTypes: ['violations'],
  selectors: false,
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'],
  rules: Object.fromEntries(
    ['accesskeys', 'aria-dialog-name', 'aria-text', 'aria-treeitem-name', 'label-title-only', 'tabindex'].map(
      (rule) => [rule, { enabled: true }],
    ),
  ),
}

/**
 * A function for the page that lists the topmost elements whose form is new, and all new forms. An element's form is a number
 * made of its tag, its attributes and the form of its parent, because what axe finds depends on these. Of attributes with
 * texts, addresses and ids only the presence counts.
 */
const FIND_NEW = `(known) => {
  const seen = new Set(known)
  const added = new Set()
  const elements = []
  const isState = (name) => /^(class|style|role|type|tabindex|hidden|disabled|dir|lang|aria-(hidden|disabled|selected|checked|pressed|invalid|current|expanded|modal|live)|data-(state|theme|variant))$/.test(name)
  const isText = (node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== ''
  const describe = (element) => [
    element.tagName,
    ...[...element.attributes].map(({ name, value }) => name + '=' + (isState(name) ? value : value.trim() !== '')).sort(),
    [...element.childNodes].some(isText),
  ].join(' ')
  const formOf = (text, parent) => {
    let form = parent
    for (let at = 0; at < text.length; at += 1) form = Math.imul(form ^ text.charCodeAt(at), 16777619)
    return form
  }
  const visit = (element, parent, isWithin) => {
    const form = formOf(describe(element), parent)
    const isNew = !seen.has(form)
    if (isNew) added.add(form)
    if (isNew && !isWithin) elements.push(element)
    for (const child of element.children) visit(child, form, isWithin || isNew)
  }
  visit(document.documentElement, 2166136261, false)
  return { elements, added: [...added] }
}`

/**
 * Runs axe in a document. Returns the findings with serious or critical impact. With `known`, checks only elements whose form
 * is not among these (FIND_NEW), and adds the forms of the others unless it finds something: most of a screen is on other
 * screens as well.
 */
export async function seriousFindings(
  document: Page | Frame,
  known: Set<number> = new Set(),
): Promise<string[]> {
  if (!(await document.evaluate('"axe" in window'))) await document.evaluate(SOURCE)
  const { added, violations } = (await document.evaluate(`(async () => {
    const { elements, added } = (${FIND_NEW})(${JSON.stringify([...known])})
    if (elements.length === 0) return { added, violations: [] }
    const { violations } = await axe.run({ include: elements }, ${JSON.stringify(OPTIONS)})
    return { added, violations }
  })()`)) as { added: number[]; violations: axe.Result[] }
  const findings = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`))
  if (findings.length === 0) for (const form of added) known.add(form)
  return findings
}
