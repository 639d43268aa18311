# by the path of the file
terraform import cidrplan_plan_file.dc1 dc1.cidrplan.json
