import { Ajv, type ErrorObject } from 'ajv'
import addFormats from 'ajv-formats'
import { DOCUMENT, type Operation } from './contract.ts'

const ajv = new Ajv({ strict: false, logger: false })
addFormats.default(ajv)
ajv.addSchema(DOCUMENT, 'openapi')

type Validate = (value: unknown) => readonly Pick<ErrorObject, 'instancePath' | 'message'>[]
const validators = new Map<string, Validate | null>()

/** Returns whether a body matches the schema of an operation. */
export const isValidBody = (operation: Operation, body: unknown): boolean =>
  validatorAt(placeOf(operation, 'requestBody/content/application~1json/schema'))?.(body).length === 0

/** Returns how a JSON response differs from its schema, or null if openapi.json doesn't describe its status. */
export const faultsOf = ({
  operation,
  status,
  body,
}: {
  operation: Operation
  status: number
  body: unknown
}) => {
  const described = DOCUMENT.paths[operation.path]?.[operation.method.toLowerCase()]?.responses[status]
  const place = described?.$ref?.slice('#/'.length) ?? placeOf(operation, `responses/${status}`)
  return validatorAt(`${place}/content/application~1json/schema`)?.(body) ?? null
}

const placeOf = ({ path, method }: Operation, pointer: string): string =>
  `paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}/${method.toLowerCase()}/${pointer}`

function validatorAt(place: string): Validate | null {
  const known = validators.get(place)
  if (known !== undefined) return known
  const compiled = ajv.getSchema(`openapi#/${encodeURI(place)}`) ?? null
  const validate: Validate | null =
    compiled &&
    ((value) => {
      void compiled(value)
      return compiled.errors ?? []
    })
  validators.set(place, validate)
  return validate
}
