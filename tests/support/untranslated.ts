import { readFileSync } from 'node:fs'
import ts from '../../scripts/check-sql/typescript.ts'

/*
 * Finds user-facing text in the source of the interface that belongs in the message files: JSX text, the
 * attributes that people read, and any other literal that looks like a sentence or a label.
 */

/** Attributes and properties with text that people read or hear. */
const FOR_PEOPLE =
  /^(?:alt|aria-(?:description|label|placeholder|roledescription|valuetext)|action|actions|children|confirm|consequence|description|empty|header|heading|help|hint|label|legend|message|note|placeholder|subject|text|title|tooltip|unit)$/

/** Attributes and properties that people never read: classes, URLs, names of elements and events. */
const FOR_MACHINES =
  /^(?:accept|allow|aria-(?!description|label|placeholder|roledescription|valuetext)[a-z]+|as|autoComplete|class|className|d|data-.+|dir|enterkeyhint|from|gridTemplateColumns|href|id|inputMode|key|kind|name|part|path|pattern|points|queryKey|rel|role|size|src|style|target|to|tone|transform|type|value|viewBox|wrap)$/

/** Functions whose string arguments aren't user-facing text. */
const CALLS =
  /^(?:classNames|t|t\.rich|t\.has|translator|lateScreen|import|RegExp|URL|Map|Set|querySelector|querySelectorAll|addEventListener|removeEventListener|dispatchEvent|Event|matchMedia|getItem|setItem|removeItem|createElement|closest|matches|startsWith|endsWith|includes|indexOf|split|join|replace|replaceAll|test|getPropertyValue|setProperty|read|readPages|useChange|useSearch|useNavigate|useParams)$/

/** Functions whose options aren't user-facing text either. */
const CALLS_WITH_OPTIONS = /^lateScreen$/

/** Attributes and properties of machines that also name things for people. Several words are for people. */
const FOR_BOTH = /^(?:kind|name|value)$/

/** Elements whose text is code or a file format, the same in every language. */
const CODE_ELEMENTS = /^(?:code|pre|samp)$/

/** A utility class: `mt-2`, `hover:underline` or `data-[state=on]:hidden`, or one of those that look like words. */
const UTILITY_CLASS =
  /^!?-?(?:[a-z]+(?:-[\w./%]+)*-?(?:\[\S+\])?:)*(?:-?[a-z]+(?:-[\w./%]+)+(?:-?\[\S+\])?|flex|grid|block|inline|hidden|rounded|border|truncate|underline|italic|relative|absolute|fixed|sticky|grow|shrink)$/

/** Source code, style sheets and markup: several lines with brackets or assignments. */
const CODE = /[{}()<>;=].*\n.*[{}()<>;=]/s

/** Matches a label or a sentence: a capital followed by lowercase letters, or several words. */
const READS_AS_TEXT = /^\p{Lu}\p{Ll}+$|\p{L}{2,}[,.…:!?]? \p{L}+|^\p{Lu}\p{Ll}+\b.*[.…!?]$/u

export interface Found {
  /** `file:line`. */
  place: string
  text: string
}

/** Finds user-facing text. Literals with values have `{}` in their place. */
export function findUntranslated(file: string, content = readFileSync(file, 'utf8')): Found[] {
  const source = parse(file, content)
  const found: Found[] = []
  const add = (node: ts.Node, text: string) => found.push(foundAt(source, node, text))
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return
    if (ts.isJsxText(node) && isForPeople(node, node.text)) add(node, node.text.trim())
    if (ts.isStringLiteralLike(node) && isForPeople(node, node.text)) add(node, node.text)
    if (ts.isTemplateExpression(node)) {
      const text = [node.head, ...node.templateSpans.map(({ literal }) => literal)]
        .map((piece) => piece.text)
        .join('{}')
      if (isForPeople(node, text)) add(node, text)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function isForPeople(node: ts.Expression | ts.JsxText, text: string): boolean {
  if (!/\p{L}{2}/u.test(text) || isFormat(text)) return false
  const purpose = purposeOf(node)
  if (purpose === 'people') return true
  return purpose === 'unknown' && READS_AS_TEXT.test(text) && !isUtilityClasses(text) && !CODE.test(text)
}

/** Whether a text is a URL, an id or JSON, or several URLs on lines of their own. */
const isFormat = (text: string): boolean =>
  /^(?:https?:\/\/\S+\s*)+$/.test(text) || /^[\da-f]{8}(?:-[\da-f]{4,12}){4}$/.test(text) || isJson(text)

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const isUtilityClasses = (text: string): boolean =>
  text.split(/\s+/).every((word) => UTILITY_CLASS.test(word.replaceAll('{}', 'x')))

/** Returns whether people or machines read a literal, from the attribute, property or call that receives it. */
function purposeOf(node: ts.Node): 'people' | 'machines' | 'unknown' {
  const { parent } = node
  if (
    ts.isConditionalExpression(parent) ||
    ts.isBinaryExpression(parent) ||
    ts.isParenthesizedExpression(parent) ||
    ts.isJsxExpression(parent) ||
    ts.isAsExpression(parent)
  ) {
    if (ts.isBinaryExpression(parent) && isComparison(parent)) return 'machines'
    if (ts.isConditionalExpression(parent) && parent.condition === node) return 'machines'
    return purposeOf(parent)
  }
  // A list can hold labels, and also names of fields.
  if (ts.isArrayLiteralExpression(parent)) return purposeOf(parent) === 'machines' ? 'machines' : 'unknown'
  if (ts.isJsxElement(parent))
    return CODE_ELEMENTS.test(parent.openingElement.tagName.getText()) ? 'machines' : 'people'
  if (ts.isJsxFragment(parent)) return 'people'
  if (ts.isJsxAttribute(parent)) return purposeByName(parent.name.getText(), node)
  if (ts.isPropertyAssignment(parent)) {
    if (parent.initializer !== node || isOption(parent)) return 'machines'
    return purposeByName(parent.name.getText().replace(/['"]/g, ''), node)
  }
  if (ts.isElementAccessExpression(parent) || ts.isCaseClause(parent) || ts.isLiteralTypeNode(parent))
    return 'machines'
  if (ts.isCallExpression(parent) || ts.isNewExpression(parent)) {
    const callee = parent.expression.getText()
    const last = callee.split('.').at(-1) ?? ''
    return CALLS.test(callee) || CALLS.test(last) ? 'machines' : 'unknown'
  }
  if (ts.isTaggedTemplateExpression(parent)) return 'machines'
  return 'unknown'
}

const isComparison = ({ operatorToken }: ts.BinaryExpression): boolean =>
  [
    ts.SyntaxKind.EqualsEqualsEqualsToken,
    ts.SyntaxKind.ExclamationEqualsEqualsToken,
    ts.SyntaxKind.InKeyword,
  ].includes(operatorToken.kind)

/** Whether a property is one of the options of a function that takes no user-facing text. */
const isOption = ({ parent: { parent } }: ts.PropertyAssignment): boolean =>
  ts.isCallExpression(parent) && CALLS_WITH_OPTIONS.test(parent.expression.getText())

function purposeByName(name: string, node: ts.Node): 'people' | 'machines' | 'unknown' {
  if (FOR_PEOPLE.test(name)) return 'people'
  if (FOR_BOTH.test(name) && /\p{L} \p{L}/u.test(node.getText())) return 'unknown'
  return FOR_MACHINES.test(name) ? 'machines' : 'unknown'
}

/** Finds messages that are looked up while modules load, before the translations are available. */
export function findEarlyMessages(file: string): Found[] {
  const source = parse(file, readFileSync(file, 'utf8'))
  const found: Found[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) || ts.isTypeNode(node)) return
    if (ts.isCallExpression(node) && /^t(?:\.rich)?$/.test(node.expression.getText()))
      found.push(foundAt(source, node, node.getText()))
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function parse(file: string, content: string): ts.SourceFile {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  return ts.createSourceFile(file, content, ts.ScriptTarget.Latest, true, kind)
}

const foundAt = (source: ts.SourceFile, node: ts.Node, text: string): Found => ({
  place: `${source.fileName}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`,
  text,
})
