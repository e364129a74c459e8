export { default } from 'openai'
