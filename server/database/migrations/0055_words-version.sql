ALTER TABLE "chat_words" ADD COLUMN "version" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "kb_documents" ADD COLUMN "words_version" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "chat_words_outdated" ON "chat_words" USING btree ("id") WHERE "chat_words"."version" < 1;--> statement-breakpoint
CREATE INDEX "kb_documents_outdated" ON "kb_documents" USING btree ("kb_id","id") WHERE "kb_documents"."words_version" < 1 and "kb_documents"."status" = 'ready';