import type { ErrorObject } from 'ajv'
import { withoutOtherShapes } from './union-errors.ts'

const CHOICES = ['anyOf', 'oneOf']
/** Errors of one rule of a schema that are compared with those of others. A long list may break a rule for each item. */
const ERRORS_OF_RULE_MAX = 20
/** The same for unions: the errors of their shapes are compared only together with their own. */
const ERRORS_OF_UNION_MAX = 100

/**
 * Returns the errors that tell the client which rules it broke. A field that may have several shapes reports the errors
 * of the shape that was sent, because the validator reports those of all shapes.
 */
export function brokenRules(all: readonly ErrorObject[]): ErrorObject[] {
  const errors = firstErrors(all)
  const choices = errors.filter(({ keyword }) => CHOICES.includes(keyword))
  const outer = choices.filter((choice) => !choices.some((other) => isWithin(choice, other)))
  const kept = errors.flatMap((error) => {
    if (outer.includes(error))
      return withoutOtherShapes([...errors.filter((one) => isWithin(one, error)), error])
    return outer.some((choice) => isWithin(error, choice)) ? [] : [error]
  })
  return kept.filter((error) => !followsFromLength(error, kept))
}

/** Returns the first errors of each rule. */
function firstErrors(errors: readonly ErrorObject[]): ErrorObject[] {
  const counts = new Map<string, number>()
  return errors.filter(({ keyword, schemaPath }) => {
    const count = (counts.get(schemaPath) ?? 0) + 1
    counts.set(schemaPath, count)
    return count <= (CHOICES.includes(keyword) ? ERRORS_OF_UNION_MAX : ERRORS_OF_RULE_MAX)
  })
}

/** An empty text also breaks the rules for its characters. */
const followsFromLength = ({ keyword, instancePath }: ErrorObject, errors: readonly ErrorObject[]): boolean =>
  (keyword === 'pattern' || keyword === 'format') &&
  errors.some((other) => other.keyword === 'minLength' && other.instancePath === instancePath)

const isWithin = (error: ErrorObject, choice: ErrorObject): boolean =>
  error.schemaPath.startsWith(`${choice.schemaPath}/`) &&
  `${error.instancePath}/`.startsWith(`${choice.instancePath}/`)
