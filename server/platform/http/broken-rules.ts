import type { ErrorObject } from 'ajv'
import { withoutOtherShapes } from './union-errors.ts'

const CHOICES = ['anyOf', 'oneOf']

/**
 * Returns the errors that tell the client which rules it broke. A field that may have several shapes reports the errors
 * of the shape that was sent, because the validator reports those of all shapes.
 */
export function brokenRules(errors: readonly ErrorObject[]): ErrorObject[] {
  const choices = errors.filter(({ keyword }) => CHOICES.includes(keyword))
  const outer = choices.filter((choice) => !choices.some((other) => isWithin(choice, other)))
  const kept = errors.flatMap((error) => {
    if (outer.includes(error))
      return withoutOtherShapes([...errors.filter((one) => isWithin(one, error)), error])
    return outer.some((choice) => isWithin(error, choice)) ? [] : [error]
  })
  return kept.filter((error) => !followsFromLength(error, kept))
}

/** An empty text also breaks the rules for its characters. */
const followsFromLength = ({ keyword, instancePath }: ErrorObject, errors: readonly ErrorObject[]): boolean =>
  (keyword === 'pattern' || keyword === 'format') &&
  errors.some((other) => other.keyword === 'minLength' && other.instancePath === instancePath)

const isWithin = (error: ErrorObject, choice: ErrorObject): boolean =>
  error.schemaPath.startsWith(`${choice.schemaPath}/`) &&
  `${error.instancePath}/`.startsWith(`${choice.instancePath}/`)
