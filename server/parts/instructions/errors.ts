import { defineErrors, notFound } from '#errors/define.ts'

export const INSTRUCTIONS_ERRORS = defineErrors({
  'instruction.not_found': notFound('Instruction not found', 'instruction_id'),
  'instruction.name_taken': [409, 'You already have an instruction with this name. Choose another name.'],
})
