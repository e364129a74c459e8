-- Counts the changes of a tool that concern secrets: of its code, language, requirements, network and configuration. Agents of
-- other organizations run the tool with their configuration only in the revision that they have confirmed.
CREATE OR REPLACE FUNCTION public.count_tool_revision()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (new.settings #- '{function_info,description}', new.configuration)
    is distinct from (old.settings #- '{function_info,description}', old.configuration) then
    new.revision := old.revision + 1;
  end if;
  return new;
end $function$;

CREATE TRIGGER tools_revised BEFORE UPDATE OF settings, configuration ON tools FOR EACH ROW EXECUTE FUNCTION count_tool_revision();
