CREATE EXTENSION IF NOT EXISTS vector;
--> statement-breakpoint
CREATE TABLE "kb_chunks" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"kb_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"document_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"page" integer,
	"tokens" integer NOT NULL,
	"words" integer NOT NULL,
	"is_enabled" boolean DEFAULT true NOT NULL,
	"is_edited" boolean DEFAULT false NOT NULL,
	"language" text NOT NULL,
	"headings" text[] NOT NULL,
	"content" text NOT NULL,
	CONSTRAINT "kb_chunks_number" UNIQUE("kb_id","number")
);
--> statement-breakpoint
CREATE TABLE "kb_documents" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"kb_id" uuid NOT NULL,
	"source_id" uuid NOT NULL,
	"key" text NOT NULL,
	"name" text NOT NULL,
	"mime_type" text NOT NULL,
	"size" bigint NOT NULL,
	"metadata" jsonb NOT NULL,
	"status" text NOT NULL,
	"error" text,
	"claimed_by" uuid,
	"failures" integer DEFAULT 0 NOT NULL,
	"not_before" timestamp (3) with time zone,
	"fingerprint" text,
	"content_hash" text,
	"text_kind" text,
	"text_bytes" integer DEFAULT 0 NOT NULL,
	"found_by" integer NOT NULL,
	"first_chunk" integer DEFAULT 0 NOT NULL,
	"chunk_count" integer DEFAULT 0 NOT NULL,
	"word_count" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "kb_documents_kb_document" UNIQUE("organization_id","kb_id","id"),
	CONSTRAINT "kb_documents_key" UNIQUE("source_id","key")
);
--> statement-breakpoint
CREATE TABLE "kb_evaluation_runs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"kb_id" uuid NOT NULL,
	"evaluation_id" uuid NOT NULL,
	"created_by" uuid NOT NULL,
	"status" text NOT NULL,
	"error" text,
	"claimed_by" uuid,
	"settings" jsonb NOT NULL,
	"metrics" jsonb,
	"results" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "kb_evaluations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"kb_id" uuid NOT NULL,
	"created_by" uuid NOT NULL,
	"name" text NOT NULL,
	"questions" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "kb_evaluations_kb_evaluation" UNIQUE("organization_id","kb_id","id")
);
--> statement-breakpoint
CREATE TABLE "kb_postings" (
	"kb_id" uuid NOT NULL,
	"term" text collate "C" NOT NULL,
	"segment" integer NOT NULL,
	"postings" "bytea" NOT NULL,
	CONSTRAINT "kb_postings_kb_id_term_segment_pk" PRIMARY KEY("kb_id","term","segment")
);
--> statement-breakpoint
CREATE TABLE "kb_segments" (
	"organization_id" uuid NOT NULL,
	"kb_id" uuid NOT NULL,
	"segment" integer NOT NULL,
	"chunks" integer NOT NULL,
	CONSTRAINT "kb_segments_kb_id_segment_pk" PRIMARY KEY("kb_id","segment")
);
--> statement-breakpoint
CREATE TABLE "kb_sources" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"kb_id" uuid NOT NULL,
	"created_by" uuid NOT NULL,
	"type" text NOT NULL,
	"config" jsonb NOT NULL,
	"secrets" text,
	"status" text NOT NULL,
	"error" text,
	"claimed_by" uuid,
	"reading" integer DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"skipped" integer DEFAULT 0 NOT NULL,
	"next_reading_at" timestamp (3) with time zone,
	"documents_pending" integer DEFAULT 0 NOT NULL,
	"documents_ready" integer DEFAULT 0 NOT NULL,
	"documents_failed" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "kb_sources_kb_source" UNIQUE("organization_id","kb_id","id")
);
--> statement-breakpoint
CREATE TABLE "kb_texts" (
	"document_id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"kb_id" uuid NOT NULL,
	"text" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "kb_vectors" (
	"kb_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"generation" integer NOT NULL,
	"is_enabled" boolean DEFAULT true NOT NULL,
	"embedding" halfvec NOT NULL,
	CONSTRAINT "kb_vectors_kb_id_number_pk" PRIMARY KEY("kb_id","number")
);
--> statement-breakpoint
CREATE TABLE "knowledge_bases" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"created_by" uuid NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"embedding_model" text NOT NULL,
	"embedding_model_id" uuid,
	"generation" integer DEFAULT 1 NOT NULL,
	"dimensions" integer,
	"floor" real,
	"chunking" jsonb NOT NULL,
	"languages" text[] DEFAULT '{}' NOT NULL,
	"index_version" integer DEFAULT 0 NOT NULL,
	"next_chunk" integer DEFAULT 1 NOT NULL,
	"next_segment" integer DEFAULT 1 NOT NULL,
	"chunk_count" integer DEFAULT 0 NOT NULL,
	"word_count" bigint DEFAULT 0 NOT NULL,
	"dead_count" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "knowledge_bases_organization" UNIQUE("organization_id","id")
);
--> statement-breakpoint
ALTER TABLE "kb_chunks" ADD CONSTRAINT "kb_chunks_document_id" FOREIGN KEY ("organization_id","kb_id","document_id") REFERENCES "public"."kb_documents"("organization_id","kb_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "kb_documents" ADD CONSTRAINT "kb_documents_source" FOREIGN KEY ("organization_id","kb_id","source_id") REFERENCES "public"."kb_sources"("organization_id","kb_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "kb_evaluation_runs" ADD CONSTRAINT "kb_evaluation_runs_evaluation" FOREIGN KEY ("organization_id","kb_id","evaluation_id") REFERENCES "public"."kb_evaluations"("organization_id","kb_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "kb_evaluations" ADD CONSTRAINT "kb_evaluations_kb" FOREIGN KEY ("organization_id","kb_id") REFERENCES "public"."knowledge_bases"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "kb_segments" ADD CONSTRAINT "kb_segments_kb" FOREIGN KEY ("organization_id","kb_id") REFERENCES "public"."knowledge_bases"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "kb_sources" ADD CONSTRAINT "kb_sources_kb" FOREIGN KEY ("organization_id","kb_id") REFERENCES "public"."knowledge_bases"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "kb_texts" ADD CONSTRAINT "kb_texts_document" FOREIGN KEY ("organization_id","kb_id","document_id") REFERENCES "public"."kb_documents"("organization_id","kb_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "knowledge_bases" ADD CONSTRAINT "knowledge_bases_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "knowledge_bases" ADD CONSTRAINT "knowledge_bases_embedding_model_id_llm_models_id_fk" FOREIGN KEY ("embedding_model_id") REFERENCES "public"."llm_models"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "kb_chunks_document" ON "kb_chunks" USING btree ("kb_id","document_id","position");--> statement-breakpoint
CREATE INDEX "kb_documents_list" ON "kb_documents" USING btree ("kb_id","id");--> statement-breakpoint
CREATE INDEX "kb_documents_open" ON "kb_documents" USING btree ("kb_id","id") WHERE "kb_documents"."status" in ('pending', 'processing');--> statement-breakpoint
CREATE INDEX "kb_evaluation_runs_list" ON "kb_evaluation_runs" USING btree ("evaluation_id","id");--> statement-breakpoint
CREATE INDEX "kb_evaluation_runs_open" ON "kb_evaluation_runs" USING btree ("kb_id") WHERE "kb_evaluation_runs"."status" in ('pending', 'processing');--> statement-breakpoint
CREATE INDEX "kb_evaluations_list" ON "kb_evaluations" USING btree ("kb_id","id");--> statement-breakpoint
CREATE INDEX "kb_sources_kb_id" ON "kb_sources" USING btree ("kb_id");--> statement-breakpoint
CREATE INDEX "kb_sources_due" ON "kb_sources" USING btree ("next_reading_at") WHERE "kb_sources"."next_reading_at" is not null;--> statement-breakpoint
CREATE INDEX "kb_sources_unindexed" ON "kb_sources" USING btree ("kb_id") WHERE "kb_sources"."documents_pending" > 0;--> statement-breakpoint
CREATE UNIQUE INDEX "knowledge_bases_name" ON "knowledge_bases" USING btree ("organization_id",lower("name"));