import { readFileSync } from 'node:fs'
import ts from '../../scripts/check-sql/typescript.ts'

/*
 * Finds user-facing text in the console's source code that belongs in the message files. Checks JSX text, attributes
 * that users read, and any other literal that looks like a sentence or a label.
 */

/** Attributes and properties whose text users read or hear. */
const FOR_PEOPLE =
  /^(?:alt|aria-(?:description|label|placeholder|roledescription|valuetext)|action|actions|children|confirm|consequence|description|empty|header|heading|help|hint|label|legend|message|note|placeholder|subject|text|title|tooltip|unit)$/

/** Attributes and properties that users never read, such as classes, URLs, and names of elements and events. */
const FOR_MACHINES =
  /^(?:accept|allow|aria-(?!description|label|placeholder|roledescription|valuetext)[a-z]+|as|autoComplete|class|className|d|data-.+|dir|enterkeyhint|from|gridTemplateColumns|href|id|inputMode|key|kind|name|part|path|pattern|points|queryKey|rel|role|size|src|style|target|to|tone|transform|type|value|viewBox|wrap)$/

/** Functions whose string arguments are not user-facing. */
const CALLS =
  /^(?:classNames|t|t\.rich|t\.has|translator|lateScreen|import|RegExp|URL|Map|Set|querySelector|querySelectorAll|addEventListener|removeEventListener|dispatchEvent|Event|matchMedia|getItem|setItem|removeItem|createElement|closest|matches|startsWith|endsWith|includes|indexOf|split|join|replace|replaceAll|test|getPropertyValue|setProperty|read|readPages|useChange|useSearch|useNavigate|useParams)$/

/** Functions whose options are not user-facing either. */
const CALLS_WITH_OPTIONS = /^lateScreen$/

/**
 * Attributes and properties that may contain an identifier or user-facing text. A value of several words is
 * user-facing.
 */
const FOR_BOTH = /^(?:kind|name|value)$/

/** Elements that contain code or a file format, which is the same in every language. */
const CODE_ELEMENTS = /^(?:code|pre|samp)$/

/**
 * Matches a utility class such as `mt-2`, `hover:underline` or `data-[state=on]:hidden`, or a class that looks like a
 * word, such as `flex`.
 */
const UTILITY_CLASS =
  /^!?-?(?:[a-z]+(?:-[\w./%]+)*-?(?:\[\S+\])?:)*(?:-?[a-z]+(?:-[\w./%]+)+(?:-?\[\S+\])?|flex|grid|block|inline|hidden|rounded|border|truncate|underline|italic|relative|absolute|fixed|sticky|grow|shrink)$/

/** Matches source code, style sheets and markup: several lines with brackets or assignments. */
const CODE = /[{}()<>;=].*\n.*[{}()<>;=]/s

/** Matches a label or a sentence: a capitalized word, or several words. */
const READS_AS_TEXT = /^\p{Lu}\p{Ll}+$|\p{L}{2,}[,.…:!?]? \p{L}+|^\p{Lu}\p{Ll}+\b.*[.…!?]$/u

export interface Found {
  /** The location, as `file:line`. */
  place: string
  text: string
}

/** Finds user-facing text in a file. In the result, `{}` replaces each value that a template literal inserts. */
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

/** Returns whether a string is a URL, several URLs on separate lines, an id or JSON. */
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

/**
 * Returns whether users or only programs read a literal, judging by the attribute, property or call that receives it.
 */
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
  // Elements of an array may be labels or field names.
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

/** Returns whether a property is an option of a function whose options are not user-facing. */
const isOption = ({ parent: { parent } }: ts.PropertyAssignment): boolean =>
  ts.isCallExpression(parent) && CALLS_WITH_OPTIONS.test(parent.expression.getText())

function purposeByName(name: string, node: ts.Node): 'people' | 'machines' | 'unknown' {
  if (FOR_PEOPLE.test(name)) return 'people'
  if (FOR_BOTH.test(name) && /\p{L} \p{L}/u.test(node.getText())) return 'unknown'
  return FOR_MACHINES.test(name) ? 'machines' : 'unknown'
}

/** Finds messages that are looked up while a module loads. At that time, translations aren't available yet. */
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
