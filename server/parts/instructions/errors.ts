import { defineErrors } from '#errors/define.ts'

export const INSTRUCTIONS_ERRORS = defineErrors({
  'instruction.not_found': [404, 'Instruction not found'],
  'instruction.name_taken': [409, 'You already have an instruction with this name. Choose another name.'],
})
